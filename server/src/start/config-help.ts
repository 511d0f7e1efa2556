/** Default null: there is none, or the meaning says what it depends on. */
type Setting = readonly [name: string, byDefault: string | null, meaning: string];

/** Every environment variable that the server reads. */
export const SETTINGS: Readonly<Record<string, readonly Setting[]>> = {
  Addresses: [
    ['HOST', '127.0.0.1', 'Address of the listeners of PORT and CUSTOMER_PORT.'],
    ['PORT', '8080', 'BRP API, operator API, documentation and portal.'],
    ['CUSTOMER_PORT', '8081', 'Customer API, its documentation and the cover images.'],
    ['ADMIN_HOST', '127.0.0.1', 'Address of the listener of ADMIN_PORT, which has no authentication.'],
    ['ADMIN_PORT', '9090', '/healthz, /readyz and /metrics.'],
    [
      'BASE_URL',
      null,
      'Public URL of the BRP API and the portal, without a path. With https: cookies are Secure. Default: the address listened on.',
    ],
    [
      'CUSTOMER_BASE_URL',
      null,
      'Public URL of the customer API, in Link headers and addresses of covers. Default: the address listened on.',
    ],
    ['ERROR_BASE', null, 'Prefix of the type of problems. Default: the public URL of the listener.'],
    ['TLS_CERT', null, 'Certificate in PEM, for HTTPS. Without it, a proxy has to end TLS.'],
    ['TLS_KEY', null, 'Private key of TLS_CERT in PEM, without a passphrase.'],
    [
      'TRUST_PROXY',
      'off',
      'on: the address of a client is the first one in X-Forwarded-For. The proxy must replace a header that the client has sent. Behind a proxy with off, all clients share the limits of one address.',
    ],
    [
      'ADDRESSES',
      'full',
      'full or short: how the addresses of clients are stored and logged. short: only the network, IPv4 /24 and IPv6 /48. Limits and the allowed addresses of keys use the whole address.',
    ],
    [
      'CORS_ORIGINS',
      null,
      'Origins that browsers may call from: https://app.example.org,http://localhost:3000',
    ],
  ],
  'Start and first access': [
    [
      'NODE_ENV',
      'development',
      'production, development or test. production: DEMO is off, OPERATOR_EIC is required, no key is generated, and the start prints no secret but the portal link of the first user.',
    ],
    [
      'DEMO',
      'on',
      'on: the first start fills an empty database with demo data. Default with DATABASE_URL and in production: off.',
    ],
    [
      'DEMO_SIGN_IN',
      'local',
      'local, on or off: whether the sign-in page of a demo has buttons that sign in without a password. local: only for browsers on the machine of the platform; a proxy on the same machine that adds no header such as X-Forwarded-For looks like one: set off before you publish a demo through it. on: for every browser that reaches it. In production: off.',
    ],
    ['SANDBOX', 'off', 'on: the operator may move the clock of the platform (PUT /operator/v1/clock).'],
    [
      'SALDO_OPERATOR_KEY',
      null,
      'First key of the operator, 16 to 200 printable characters. Default: generated at the first start, in production none.',
    ],
    [
      'MFA',
      'off',
      'off, operators or all: whose users need a second factor to sign in. Users without one set it up at their next sign-in.',
    ],
    [
      'OIDC_FILE',
      null,
      'File with the identity providers (OpenID Connect) that users sign in with; see docs/operators/directory.md. Default: none.',
    ],
    [
      'SECRETS_KEY_FILE',
      null,
      'Keys that seal the secrets in the database, the same on every machine. Made at the first start. Default: secrets.key in DATA_DIR.',
    ],
    [
      'LEDGER_KEY_FILE',
      null,
      'Private key that signs the ledger, the same on every machine. Made at the first start. Default: ledger.key in DATA_DIR.',
    ],
    ['OPERATOR_EMAIL', 'operator@localhost', 'First user of the portal, invited at the first start.'],
    ['OPERATOR_NAME', 'Saldo Clearing', 'Name of the counterparty of every nomination.'],
    [
      'OPERATOR_EIC',
      '11XSALDO-------Z',
      'EIC of the counterparty of every nomination, and sender of every schedule. Required in production.',
    ],
  ],
  Data: [
    ['DATA_DIR', 'data', 'Folder of the embedded database, demo.json, the outbox and the inbox.'],
    [
      'DATABASE_URL',
      null,
      'PostgreSQL 15 or newer: postgres://user:password@host/database. Of several hosts the primary is used. Default: the embedded PostgreSQL 18 in DATA_DIR.',
    ],
    ['DATABASE_DIRECT_URL', null, 'The database server itself, where DATABASE_URL leads to a pooler.'],
    ['DATABASE_READ_URL', null, 'Read replicas: one URL or several, separated by commas.'],
    ['READ_LAG_S', '10', 'A replica that is further behind the primary is left out. 1 to 20.'],
    [
      'REDIS_URL',
      null,
      'Redis 6 or newer, which shares rate limits between processes: redis://host:6379. Without it each process counts separately.',
    ],
    ['PROFILE_DAYS', '7', 'Number of days ahead for which the volumes of profile contracts are generated.'],
    [
      'EVENT_DAYS',
      '90',
      'Events are deleted after so many days. A reader behind them gets 410 events_expired.',
    ],
    [
      'REQUEST_LOG_DAYS',
      '30',
      'The requests of keys and users are logged for their owners for so many days, 10 million at most. 0: they are not logged, and earlier ones are deleted.',
    ],
  ],
  'Load and limits': [
    ['WORKERS', '1', 'Processes that share the ports. auto: one per core.'],
    ['RATE_LIMIT', '300', 'Requests per window and key or session, and failed attempts per address.'],
    ['RATE_WINDOW_S', '60', 'Window of RATE_LIMIT.'],
    [
      'REQUESTS_AT_ONCE',
      '128',
      'Concurrent requests per process, without imports, exports and requests whose body is still arriving. Up to 4,096 further requests wait in order of arrival.',
    ],
    ['QUEUE_WAIT_MS', '1500', 'A request that has waited this long is rejected: 503 with Retry-After.'],
    [
      'REQUEST_TIMEOUT_S',
      '10',
      'Timeout for the headers of a request. A body has a second more for each 16 KB that have arrived.',
    ],
    ['IMPORT_SILENCE_S', '120', 'Idle timeout of an import, an interchange or an answer of a TSO.'],
    ['EXPORT_SILENCE_S', '300', 'Idle timeout of the reader of an export.'],
    [
      'WEBHOOK_ALLOW_PRIVATE',
      'off',
      'on: webhooks may go to private addresses and over http. For trials: owners of keys can then reach hosts of your network.',
    ],
  ],
  'Exchange with the TSOs': [
    ['EXCHANGE_FORMATS', null, 'Format per TSO: DE_AMPRION=cim,DE_TENNET=ess. Default: ess.'],
    [
      'EXCHANGE_TRANSPORTS',
      null,
      'Transport per TSO, folder or an SFTP server: DE_AMPRION=sftp://user@host:22/outbox?inbox=/inbox&key_file=/path,DE_TENNET=folder. Default: folder.',
    ],
    ['OUTBOX_DIR', null, 'Folder of outgoing schedules. Default: outbox in DATA_DIR.'],
    ['INBOX_DIR', null, 'Folder of incoming answers. Default: inbox in DATA_DIR.'],
    [
      'EXCHANGE_FOLDERS',
      'on',
      'off: this process has no outbox and no inbox. Another process with on delivers its schedules.',
    ],
    [
      'SFTP_KNOWN_HOSTS',
      null,
      'File of OpenSSH (known_hosts) with the host keys of the SFTP servers. Required with an SFTP server.',
    ],
    [
      'SFTP_TIMEOUT_S',
      '20',
      'Timeout of an SFTP server for connecting and signing in, and for each request.',
    ],
    [
      'WAIT_PHASE',
      null,
      'Changes in the wait phase per TSO, held until its end or sent at once: DE_AMPRION=send,DE_TENNET=hold. Default: hold.',
    ],
    [
      'ACK_MINUTES',
      '10',
      'A schedule without an acknowledgement so many minutes after it was sent raises an alarm and makes a status request. So does a schedule without a final confirmation so many minutes after the day-after gate.',
    ],
    ['MESSAGE_LIMIT_MB', '64', 'Maximum size of a message of a TSO.'],
    [
      'MARKET_RULES',
      null,
      'JSON file with gates, holidays, codes and party numbers. Default: the built-in rules.',
    ],
    ['SIMULATE_TSO', 'off', 'on: the platform simulates the answers of the TSOs. Never in production.'],
  ],
  'Log, traces and logs by OpenTelemetry': [
    [
      'LOG_LEVEL',
      null,
      'fatal, error, warn, info, debug, trace or silent. Default: info; in a terminal, outside of production, warnings and errors as plain lines instead of JSON.',
    ],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', null, 'Collector of traces and logs: http://collector:4318'],
    ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', null, 'Complete address for traces.'],
    ['OTEL_EXPORTER_OTLP_LOGS_ENDPOINT', null, 'Complete address for logs.'],
    ['OTEL_EXPORTER_OTLP_HEADERS', null, 'Headers for the collector: name=value,name=value'],
    ['OTEL_EXPORTER_OTLP_TIMEOUT', '10000', 'Timeout in milliseconds.'],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'http/json', 'The only one that is supported.'],
    ['OTEL_BSP_SCHEDULE_DELAY', '5000', 'Milliseconds between two exports, of traces and of logs.'],
    ['OTEL_SERVICE_NAME', 'saldo', 'Name of the service.'],
    ['OTEL_RESOURCE_ATTRIBUTES', null, 'Further attributes: key=value,key=value'],
    [
      'OTEL_TRACES_SAMPLER',
      'parentbased_always_on',
      'parentbased_always_on, parentbased_always_off or parentbased_traceidratio.',
    ],
    ['OTEL_TRACES_SAMPLER_ARG', '1', 'Part of the traces that parentbased_traceidratio records.'],
    ['OTEL_TRACES_EXPORTER', null, 'none: traces are not exported.'],
    ['OTEL_LOGS_EXPORTER', null, 'none: logs are not exported.'],
    ['OTEL_SDK_DISABLED', null, 'true: nothing is exported.'],
  ],
};

/** A file of environment variables with every setting at its default, as a comment. */
export const describeSettings = (): string =>
  Object.entries(SETTINGS)
    .map(([title, settings]) => {
      const lines = settings.map(
        ([name, byDefault, meaning]) => `# ${meaning}\n#${name}=${byDefault ?? ''}\n`,
      );
      return [`## ${title}\n`, ...lines].join('\n');
    })
    .join('\n');
