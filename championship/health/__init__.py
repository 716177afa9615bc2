"""The state of the service: for a load balancer, a monitor and members."""
