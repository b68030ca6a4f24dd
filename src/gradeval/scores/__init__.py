"""Values by run, topic and measure, and what is made of them over topics."""
