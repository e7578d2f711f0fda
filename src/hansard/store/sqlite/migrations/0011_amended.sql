-- Who changed the words of a decision last, and whether a person vouches for them.
-- What is not set was never changed, or was said by no person.

ALTER TABLE decisions ADD COLUMN amended_by_key TEXT;
ALTER TABLE decisions ADD COLUMN cleared TEXT CHECK (cleared = 'confirmed');
