import type { Migration } from './migration.ts'

/** Migrations of release 0.1.0, in the order in which they run. A released migration is never edited. */
export const release010: readonly Migration[] = [
  // 10: settings and connections
  {
    version: 10,
    apply: (database) =>
      database.exec(`
      CREATE TABLE settings (
        key   TEXT PRIMARY KEY,
        value TEXT NOT NULL -- JSON
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE connections (
        id               TEXT PRIMARY KEY,
        name             TEXT NOT NULL UNIQUE COLLATE NOCASE,
        metrics_url      TEXT NOT NULL,
        portfolio_url    TEXT NOT NULL,
        catalog_location TEXT NOT NULL,
        tier             INTEGER CHECK (tier BETWEEN 0 AND 3),
        active           INTEGER NOT NULL CHECK (active IN (0, 1)),
        built_in         INTEGER NOT NULL CHECK (built_in IN (0, 1)),
        -- Goes up when a key of this connection is set or removed, so that other processes look again.
        key_changes      INTEGER NOT NULL DEFAULT 0
      ) STRICT, WITHOUT ROWID;

      CREATE UNIQUE INDEX one_active_connection ON connections (active) WHERE active = 1;

      -- Its addresses are known only while a host runs the sandbox; tier 3 opens everything.
      INSERT INTO connections (id, name, metrics_url, portfolio_url, catalog_location, tier, active, built_in)
      VALUES ('sandbox', 'Sandbox', '', '', '', 3, 1, 1);
    `),
  },
  // 20: leases
  {
    version: 20,
    apply: (database) =>
      database.exec(`
      CREATE TABLE leases (
        name          TEXT PRIMARY KEY,
        holder        TEXT NOT NULL,
        machine       TEXT NOT NULL,
        pid           INTEGER NOT NULL,
        expires_at_ms INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
    `),
  },
  // 30: files
  {
    version: 30,
    apply: (database) =>
      database.exec(`
      -- One series of one connection; interval and timestamp are empty for raw events.
      CREATE TABLE series (
        id            INTEGER PRIMARY KEY,
        connection_id TEXT NOT NULL,
        kind          TEXT NOT NULL CHECK (kind IN ('metrics', 'raw')),
        dataset       TEXT NOT NULL,
        exchange      TEXT NOT NULL,
        symbol        TEXT NOT NULL,
        interval      TEXT NOT NULL,
        timestamp     TEXT NOT NULL,
        -- Kept with every change of its files, so that totals need no scan.
        files         INTEGER NOT NULL DEFAULT 0,
        size_bytes    INTEGER NOT NULL DEFAULT 0,
        UNIQUE (connection_id, kind, dataset, exchange, symbol, interval, timestamp)
      ) STRICT;

      -- Days are counted from 1970-01-01; end_day is exclusive. The path follows from series and period.
      CREATE TABLE files (
        series_id              INTEGER NOT NULL REFERENCES series (id),
        period                 TEXT NOT NULL,
        start_day              INTEGER NOT NULL,
        end_day                INTEGER NOT NULL,
        state                  TEXT NOT NULL CHECK (state IN ('final', 'partial')),
        origin                 TEXT NOT NULL CHECK (origin IN ('service', 'import', 'computed')),
        size_bytes             INTEGER NOT NULL,
        sha256                 BLOB NOT NULL,
        etag                   TEXT,
        fetched_at_ms          INTEGER NOT NULL,
        used_at_ms             INTEGER NOT NULL,
        pinned                 INTEGER NOT NULL DEFAULT 0,
        changed_upstream_at_ms INTEGER,
        PRIMARY KEY (series_id, period)
      ) STRICT, WITHOUT ROWID;

      -- Holds all that a plan asks, so that it never reads the rows.
      CREATE INDEX files_by_day ON files (series_id, start_day, end_day, state);
      CREATE INDEX files_by_use ON files (used_at_ms) WHERE pinned = 0;

      -- Names and types of columns, once for all files that share them.
      CREATE TABLE column_lists (
        id      INTEGER PRIMARY KEY,
        columns TEXT NOT NULL UNIQUE -- JSON: [[name, type], …]
      ) STRICT;

      -- What was found when a file was proven whole. Apart from the files, so that plans read little.
      CREATE TABLE file_facts (
        series_id       INTEGER NOT NULL,
        period          TEXT NOT NULL,
        rows            INTEGER NOT NULL,
        first_time_ms   REAL,
        last_time_ms    REAL,
        step_ms         REAL,
        duplicate_times INTEGER NOT NULL,
        column_list_id  INTEGER NOT NULL REFERENCES column_lists (id),
        -- Per column nulls, min, max as float64; NaN where there is none.
        column_values   BLOB NOT NULL,
        PRIMARY KEY (series_id, period),
        FOREIGN KEY (series_id, period) REFERENCES files (series_id, period) ON DELETE CASCADE
      ) STRICT, WITHOUT ROWID;

      -- Bytes a file usually has, learned from what was fetched.
      CREATE TABLE usual_sizes (
        dataset    TEXT NOT NULL,
        interval   TEXT NOT NULL,
        monthly    INTEGER NOT NULL,
        files      INTEGER NOT NULL,
        size_bytes INTEGER NOT NULL,
        PRIMARY KEY (dataset, interval, monthly)
      ) STRICT, WITHOUT ROWID;

      -- Periods for which a service said that it has nothing.
      CREATE TABLE absences (
        series_id  INTEGER NOT NULL REFERENCES series (id),
        period     TEXT NOT NULL,
        start_day  INTEGER NOT NULL,
        end_day    INTEGER NOT NULL,
        seen_at_ms INTEGER NOT NULL,
        PRIMARY KEY (series_id, period)
      ) STRICT, WITHOUT ROWID;

      -- What a connection's key does not open; interval is empty for a whole dataset.
      CREATE TABLE refusals (
        connection_id TEXT NOT NULL,
        dataset       TEXT NOT NULL,
        interval      TEXT NOT NULL,
        words         TEXT,
        at_ms         INTEGER NOT NULL,
        PRIMARY KEY (connection_id, dataset, interval)
      ) STRICT, WITHOUT ROWID;
    `),
  },
  // 40: coverage
  {
    version: 40,
    apply: (database) =>
      database.exec(`
      CREATE TABLE documents (
        connection_id   TEXT NOT NULL,
        name            TEXT NOT NULL,
        body            TEXT NOT NULL, -- JSON
        fetched_at_ms   INTEGER NOT NULL,
        generated_at_ms INTEGER,
        source          TEXT NOT NULL,
        PRIMARY KEY (connection_id, name)
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE symbols (
        connection_id TEXT NOT NULL,
        exchange      TEXT NOT NULL,
        symbol        TEXT NOT NULL,
        -- NFKC and lower case, for search.
        folded        TEXT NOT NULL,
        PRIMARY KEY (connection_id, exchange, symbol)
      ) STRICT, WITHOUT ROWID;

      -- Days are counted from 1970-01-01, both inclusive, as the catalog states them.
      CREATE TABLE raw_coverage (
        connection_id TEXT NOT NULL,
        dataset       TEXT NOT NULL,
        exchange      TEXT NOT NULL,
        symbol        TEXT NOT NULL,
        first_day     INTEGER NOT NULL,
        last_day      INTEGER NOT NULL,
        days          INTEGER NOT NULL,
        PRIMARY KEY (connection_id, dataset, exchange, symbol)
      ) STRICT, WITHOUT ROWID;
    `),
  },
  // 50: jobs
  {
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
  },
  // 60: portfolio answers
  {
    version: 60,
    apply: (database) =>
      database.exec(`
      -- One request in its canonical form, without a range of days. Days are counted from 1970-01-01.
      CREATE TABLE portfolio_requests (
        id            INTEGER PRIMARY KEY,
        connection_id TEXT NOT NULL,
        endpoint      TEXT NOT NULL,
        query         TEXT NOT NULL,
        -- The latest answer; of a history, the latest that reached its end.
        fetched_at_ms INTEGER NOT NULL,
        source        TEXT NOT NULL,
        problems      TEXT NOT NULL, -- JSON
        -- Of a history: the days that were asked for, end_day exclusive. A day among them without a row has no data.
        start_day     INTEGER,
        end_day       INTEGER,
        UNIQUE (connection_id, endpoint, query)
      ) STRICT;

      -- Names of columns, once for all rows that share them.
      CREATE TABLE portfolio_columns (
        id    INTEGER PRIMARY KEY,
        names TEXT NOT NULL UNIQUE -- JSON
      ) STRICT;

      -- One day of a history; cells are float64 in the order of the columns, NaN where there is no value.
      CREATE TABLE portfolio_days (
        request_id    INTEGER NOT NULL REFERENCES portfolio_requests (id),
        day           INTEGER NOT NULL,
        columns_id    INTEGER NOT NULL REFERENCES portfolio_columns (id),
        cells         BLOB NOT NULL,
        fetched_at_ms INTEGER NOT NULL,
        PRIMARY KEY (request_id, day)
      ) STRICT;

      -- Every live snapshot that was ever seen.
      CREATE TABLE portfolio_snapshots (
        request_id    INTEGER NOT NULL REFERENCES portfolio_requests (id),
        created_at_ms INTEGER NOT NULL,
        day           INTEGER NOT NULL,
        columns_id    INTEGER NOT NULL REFERENCES portfolio_columns (id),
        cells         BLOB NOT NULL,
        fetched_at_ms INTEGER NOT NULL,
        PRIMARY KEY (request_id, created_at_ms)
      ) STRICT;

      -- Every list of tickers that was ever the answer: the newest counts, the others are its revisions.
      CREATE TABLE portfolio_lists (
        id               INTEGER PRIMARY KEY,
        request_id       INTEGER NOT NULL REFERENCES portfolio_requests (id),
        tickers          TEXT NOT NULL, -- JSON
        first_seen_at_ms INTEGER NOT NULL
      ) STRICT;
      CREATE INDEX portfolio_lists_by_request ON portfolio_lists (request_id, id);

      -- What stood for a day (or for a snapshot of this creation time) before the service said otherwise.
      CREATE TABLE portfolio_revisions (
        id             INTEGER PRIMARY KEY,
        request_id     INTEGER NOT NULL REFERENCES portfolio_requests (id),
        day            INTEGER NOT NULL,
        created_at_ms  INTEGER,
        columns_id     INTEGER NOT NULL REFERENCES portfolio_columns (id),
        cells          BLOB NOT NULL,
        fetched_at_ms  INTEGER NOT NULL,
        replaced_at_ms INTEGER NOT NULL
      ) STRICT;
      CREATE INDEX portfolio_revisions_by_request ON portfolio_revisions (request_id, day);

      -- Identifiers that were used, to be offered again.
      CREATE TABLE portfolio_ids (
        connection_id TEXT NOT NULL,
        kind          TEXT NOT NULL,
        name          TEXT NOT NULL,
        used_at_ms    INTEGER NOT NULL,
        PRIMARY KEY (connection_id, kind, name)
      ) STRICT, WITHOUT ROWID;
    `),
  },
  // 70: raw conditions
  {
    version: 70,
    apply: (database) =>
      database.exec(`
      -- What a file of raw events is like, found by reading all of it; goes when its file does or another takes its place.
      CREATE TABLE raw_conditions (
        series_id  INTEGER NOT NULL,
        period     TEXT NOT NULL,
        conditions TEXT NOT NULL, -- JSON
        PRIMARY KEY (series_id, period),
        FOREIGN KEY (series_id, period) REFERENCES files (series_id, period) ON DELETE CASCADE
      ) STRICT, WITHOUT ROWID;
    `),
  },
  // 80: workspaces
  {
    version: 80,
    apply: (database) =>
      database.exec(`
      CREATE TABLE workspaces (
        id            TEXT PRIMARY KEY,
        name          TEXT NOT NULL UNIQUE COLLATE NOCASE,
        document      TEXT NOT NULL, -- JSON with a version of its own
        series        INTEGER NOT NULL,
        revision      INTEGER NOT NULL,
        changed_at_ms INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
    `),
  },
  // 90: pinned files
  {
    version: 90,
    // Few files are pinned, so a partial index counts them without reading the rest.
    apply: (database) => database.exec('CREATE INDEX files_pinned ON files (series_id) WHERE pinned = 1'),
  },
  // 100: runnable jobs
  {
    version: 100,
    apply: (database) =>
      database.exec(`
      -- What may run next of each connection, found at once however many others stand still.
      CREATE INDEX jobs_runnable ON jobs (connection_id, priority DESC, position, id) WHERE state IN ('queued', 'waiting');
    `),
  },
  // 110: words of series
  {
    version: 110,
    apply(database) {
      database.exec(`
      -- Words to find a series by, folded: jobs are found by those of their series, of which there are far fewer.
      ALTER TABLE series ADD COLUMN search TEXT NOT NULL DEFAULT '';
      ALTER TABLE jobs DROP COLUMN search;
      CREATE INDEX ended_jobs ON jobs (series_id, state, period) WHERE ended_at_ms IS NOT NULL;
      CREATE INDEX jobs_with_error ON jobs (id) WHERE error IS NOT NULL;
    `)
      const series = database.prepare(
        "SELECT id, dataset || ' ' || exchange || ' ' || symbol || ' ' || interval AS words FROM series",
      )
      const save = database.prepare('UPDATE series SET search = ? WHERE id = ?')
      for (const { id, words } of series.all() as { id: number; words: string }[]) {
        save.run(words.normalize('NFKC').toLowerCase(), id)
      }
    },
  },
]
