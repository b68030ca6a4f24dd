"""Pictures of the report as SVG, drawn without scripts."""
