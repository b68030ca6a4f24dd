"""``gradeval completion``: tab completion for shells."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from gradeval.cli.help_sections import SectionedCommand

SHELLS = ("bash", "zsh", "fish")


@click.command(
    cls=SectionedCommand,
    epilog="""\b
Examples:
  gradeval completion bash > ~/.local/share/bash-completion/completions/gradeval
  gradeval completion zsh > "${fpath[1]}/_gradeval"
  gradeval completion fish > ~/.config/fish/completions/gradeval.fish

Or, for the shell at hand only: eval "$(gradeval completion bash)".""",
)
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print a script that completes commands, options, files and measures in a shell."""
    maker = get_completion_class(shell)
    assert maker is not None  # click knows all of SHELLS
    click.echo(maker(ctx.find_root().command, {}, "gradeval", "_GRADEVAL_COMPLETE").source())
