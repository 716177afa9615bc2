"""How the service goes: for a load balancer, a monitor, and members."""
