export const POSITION_HEADER = 'x-saldo-position';

/** By then every replica has the state. */
const REMEMBERED_MS = 60_000;

/**
 * Read-your-writes on a platform with read replicas: the newest position that an answer had is sent with all later
 * requests, so that they see what this client has changed.
 */
export class PositionMemory {
  private newest: { readonly position: string; readonly at: number } | null = null;
  private readonly now: () => number;

  constructor(now: () => number) {
    this.now = now;
  }

  /** Answers may arrive in another order than the changes were made in. */
  note(response: Response): void {
    const position = response.headers.get(POSITION_HEADER);
    const known = this.current();
    if (position !== null && (known === null || numberOf(position) >= numberOf(known)))
      this.newest = { position, at: this.now() };
  }

  current(): string | null {
    return this.newest !== null && this.now() - this.newest.at < REMEMBERED_MS ? this.newest.position : null;
  }
}

/** A position is a hexadecimal number, a dot and a signature. */
const numberOf = (position: string): number => Number.parseInt(position, 16);
