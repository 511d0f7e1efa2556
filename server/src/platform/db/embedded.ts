import type { Application } from '@saldo/postgres/application.ts';

/** Saldo as an application that embeds Postgres. */
export const SALDO: Application = {
  name: 'saldo',
  title: 'Saldo',
  folderVariable: 'DATA_DIR',
  urlVariable: 'DATABASE_URL',
  howToMoveData:
    'back it up with the Saldo that made it (saldo backup), and restore it into a new data folder.',
};
