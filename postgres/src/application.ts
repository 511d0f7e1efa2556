/** The program that embeds Postgres, as error messages to its operator describe it. */
export type Application = {
  /** Also the name of the role, the database, the lock file and the caches. */
  readonly name: string;
  readonly title: string;
  /** The environment variable for the data folder. */
  readonly folderVariable: string;
  /** The environment variable for a Postgres server that is not embedded. */
  readonly urlVariable: string;
  /** How to move data between major versions of Postgres, as the rest of a sentence. */
  readonly howToMoveData: string;
};
