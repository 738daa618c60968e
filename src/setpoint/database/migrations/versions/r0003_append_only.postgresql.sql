CREATE FUNCTION learning_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'learnings and their evidence are append-only: they cannot be changed or deleted';
END
$$;

CREATE TRIGGER learning_no_change BEFORE UPDATE OR DELETE ON learning
    FOR EACH ROW EXECUTE FUNCTION learning_append_only();

CREATE TRIGGER learning_no_truncate BEFORE TRUNCATE ON learning
    FOR EACH STATEMENT EXECUTE FUNCTION learning_append_only();

CREATE TRIGGER learning_evidence_no_change BEFORE UPDATE OR DELETE ON learning_evidence
    FOR EACH ROW EXECUTE FUNCTION learning_append_only();

CREATE TRIGGER learning_evidence_no_truncate BEFORE TRUNCATE ON learning_evidence
    FOR EACH STATEMENT EXECUTE FUNCTION learning_append_only();
