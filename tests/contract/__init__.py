"""What every engine must do, through the public facade."""
