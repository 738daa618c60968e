"""JSON as GitHub sends it, made from the records of a fake forge: one form for REST and for webhooks."""
