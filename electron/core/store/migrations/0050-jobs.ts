import type { Migration } from './migration.ts'

export const jobs: Migration = {
  version: 50,
  apply: (database) =>
    database.exec(`
      CREATE TABLE batches (
        id            INTEGER PRIMARY KEY,
        label         TEXT NOT NULL,
        created_at_ms INTEGER NOT NULL
      ) STRICT;

      CREATE TABLE jobs (
        id            INTEGER PRIMARY KEY,
        series_id     INTEGER NOT NULL REFERENCES series (id),
        connection_id TEXT NOT NULL,
        period        TEXT NOT NULL,
        refresh       INTEGER NOT NULL,
        state         TEXT NOT NULL
                      CHECK (state IN ('queued', 'running', 'waiting', 'paused', 'done', 'failed', 'cancelled')),
        priority      INTEGER NOT NULL,
        position      REAL NOT NULL,
        error         TEXT, -- JSON
        outcome       TEXT,
        not_before_ms INTEGER,
        attempts      INTEGER NOT NULL DEFAULT 0,
        done_bytes    INTEGER NOT NULL DEFAULT 0,
        total_bytes   INTEGER,
        created_at_ms INTEGER NOT NULL,
        ended_at_ms   INTEGER,
        -- Words to find it by, folded.
        search        TEXT NOT NULL
      ) STRICT;

      -- A period of a series is fetched by one job at a time.
      CREATE UNIQUE INDEX open_jobs ON jobs (series_id, period) WHERE ended_at_ms IS NULL;
      CREATE INDEX jobs_failed ON jobs (series_id, period) WHERE state = 'failed';
      CREATE INDEX jobs_in_order ON jobs (priority DESC, position, id) WHERE ended_at_ms IS NULL;
      CREATE INDEX jobs_ended ON jobs (ended_at_ms DESC, id DESC) WHERE ended_at_ms IS NOT NULL;
      CREATE INDEX jobs_by_state ON jobs (state, not_before_ms);

      -- How many there are of each, always exact: counting a long history anew would take a moment each time.
      CREATE TABLE job_counts (
        state      TEXT PRIMARY KEY,
        jobs       INTEGER NOT NULL DEFAULT 0,
        -- How many ever came to this state; forgetting history does not lower it.
        came       INTEGER NOT NULL DEFAULT 0,
        done_bytes INTEGER NOT NULL DEFAULT 0
      ) STRICT, WITHOUT ROWID;
      INSERT INTO job_counts (state)
      VALUES ('queued'), ('running'), ('waiting'), ('paused'), ('done'), ('failed'), ('cancelled');
      CREATE TRIGGER count_added_job AFTER INSERT ON jobs BEGIN
        UPDATE job_counts SET jobs = jobs + 1, came = came + 1, done_bytes = done_bytes + NEW.done_bytes
        WHERE state = NEW.state;
      END;
      CREATE TRIGGER count_moved_job AFTER UPDATE OF state ON jobs WHEN OLD.state IS NOT NEW.state BEGIN
        UPDATE job_counts SET jobs = jobs - 1, done_bytes = done_bytes - OLD.done_bytes WHERE state = OLD.state;
        UPDATE job_counts SET jobs = jobs + 1, came = came + 1, done_bytes = done_bytes + NEW.done_bytes
        WHERE state = NEW.state;
      END;
      CREATE TRIGGER count_job_bytes AFTER UPDATE OF done_bytes ON jobs
      WHEN OLD.state IS NEW.state AND OLD.done_bytes IS NOT NEW.done_bytes BEGIN
        UPDATE job_counts SET done_bytes = done_bytes + NEW.done_bytes - OLD.done_bytes WHERE state = NEW.state;
      END;
      CREATE TRIGGER count_removed_job AFTER DELETE ON jobs BEGIN
        UPDATE job_counts SET jobs = jobs - 1, done_bytes = done_bytes - OLD.done_bytes WHERE state = OLD.state;
      END;

      -- Which requests asked for which jobs: two may ask for the same file.
      CREATE TABLE batch_jobs (
        batch_id INTEGER NOT NULL REFERENCES batches (id),
        job_id   INTEGER NOT NULL,
        PRIMARY KEY (batch_id, job_id)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX batches_of_job ON batch_jobs (job_id);

      -- Downloads that are kept under a name.
      CREATE TABLE download_sets (
        connection_id  TEXT NOT NULL,
        name           TEXT NOT NULL COLLATE NOCASE,
        fields         TEXT NOT NULL, -- JSON
        saved_at_ms    INTEGER NOT NULL,
        enqueued_at_ms INTEGER,
        PRIMARY KEY (connection_id, name)
      ) STRICT, WITHOUT ROWID;

      -- What an interrupted transfer left beside its place, and whether it can be continued.
      CREATE TABLE parts (
        series_id  INTEGER NOT NULL REFERENCES series (id),
        period     TEXT NOT NULL,
        etag       TEXT NOT NULL,
        left_at_ms INTEGER NOT NULL,
        PRIMARY KEY (series_id, period)
      ) STRICT, WITHOUT ROWID;

      -- Why nothing runs: for one connection, or for all where connection_id is empty.
      CREATE TABLE holds (
        connection_id TEXT PRIMARY KEY,
        error         TEXT NOT NULL, -- JSON
        until_ms      INTEGER -- null: until the person did something about it
      ) STRICT, WITHOUT ROWID;
    `),
}
