CREATE TRIGGER learning_no_update BEFORE UPDATE ON learning
BEGIN
    SELECT RAISE(ABORT, 'learnings are append-only: they cannot be changed');
END;

CREATE TRIGGER learning_no_delete BEFORE DELETE ON learning
BEGIN
    SELECT RAISE(ABORT, 'learnings are append-only: they cannot be deleted');
END;

CREATE TRIGGER learning_evidence_no_update BEFORE UPDATE ON learning_evidence
BEGIN
    SELECT RAISE(ABORT, 'evidence is append-only: it cannot be changed');
END;

CREATE TRIGGER learning_evidence_no_delete BEFORE DELETE ON learning_evidence
BEGIN
    SELECT RAISE(ABORT, 'evidence is append-only: it cannot be deleted');
END;
