import type { CoverMediaType, DecimalMark, EventType } from '@saldo/api';
import type { Dependencies, RetryOptions } from './retry.ts';
import type { UploadProgress } from './xhr.ts';

/** Authentication of the caller: an API key, or, in a page of the portal, the session cookie. */
export type Access =
  | { readonly apiKey: string; readonly credentials?: never }
  | { readonly credentials: 'session'; readonly apiKey?: never };

export type ClientOptions = Access & {
  /** The URL of the API without its version: `https://api.example.org`. Empty in a page: its own origin. */
  readonly baseUrl: string;
  /**
   * The language of the server's sentences, such as `de`; English by default. Codes are the same in all languages. Read
   * with every request.
   */
  readonly language?: string;
  /** Idle timeout of one attempt, default 30 s; 0 turns it off. */
  readonly timeoutMs?: number;
  /** Retry policy; members that are absent keep their default. */
  readonly retry?: Partial<RetryOptions>;
  /** Aborts every call of this client. */
  readonly signal?: AbortSignal;
  /** Called for every response, including those that are retried. */
  readonly onResponse?: (response: Response) => void;
} & Partial<Dependencies>;

/** Options of a single call. */
export type CallOptions = {
  /** Aborts the call, which then rejects with the reason of the signal. */
  readonly signal?: AbortSignal;
  /** Idle timeout of one attempt instead of the client's. */
  readonly timeoutMs?: number;
  /** Retry policy instead of the client's. */
  readonly retry?: Partial<RetryOptions>;
  /** Makes a POST that changes something safe to repeat; generated if not given. */
  readonly idempotencyKey?: string;
  /** The `ETag` of the record as it was read: the call fails with `precondition_failed` if it has changed. */
  readonly ifMatch?: string;
  /** The `X-List-Version` of an earlier page: numbered pages are then taken from that version of the list. */
  readonly listVersion?: string;
  /** Called for every response: its headers carry `ETag`, `X-Request-Id` and the rate limit. */
  readonly onResponse?: (response: Response) => void;
};

/** Options of `events.follow`. */
export type FollowOptions = {
  /** Only events of these types. A subject and `.*` stand for all types of that subject. */
  readonly types?: (EventType | (string & {}))[];
  /** The id of the last event that was processed. `latest`: only new events. Default: the oldest that is kept. */
  readonly after?: string;
  /** Ends the iteration. */
  readonly signal?: AbortSignal;
};

/** Options of a check of a schedule. */
export type ScheduleCheckOptions = CallOptions & {
  /** ESS and CIM are XML. */
  readonly format: 'csv' | 'xml';
  /** Whether you have submitted the file to the TSO: later checks compare versions and series with it. */
  readonly submitted?: boolean;
  /** The decimal mark of a CSV file, if the file does not show it. */
  readonly decimal?: DecimalMark;
};

/** Options of an import of volumes. */
export type ImportOptions = CallOptions & {
  /** Format of the file. */
  readonly format: 'csv' | 'ndjson';
  /** Whether the file is compressed with gzip. */
  readonly isGzip?: boolean;
  /** Dry run: reports the result without storing anything. */
  readonly dryRun?: boolean;
  /** The decimal mark of a CSV file, if the file does not show it. */
  readonly decimal?: DecimalMark;
  /** Called while the file is sent. */
  readonly onProgress?: (progress: UploadProgress) => void;
};

/** Options of an import of values of series. An MSCONS interchange has neither a dry run nor a choice of its decimal mark. */
export type ValuesImportOptions = Omit<ImportOptions, 'format'> & {
  /** Format of the file. */
  readonly format: ImportOptions['format'] | 'mscons';
};

/** Options of an upload of a cover image. */
export type CoverOptions = CallOptions & {
  /** The declared media type; the platform checks the content. */
  readonly mediaType?: CoverMediaType;
};
