import { type Check, failed, ok, warning } from '@saldo/core/check.ts';
import { isLoopback } from '../platform/http/client-address.ts';
import { type Config, readConfig } from '../start/config.ts';
import { ConfigError } from '../start/config-error.ts';
import { describeMisspelled, recordNames } from '../start/config-names.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export type SettingsFound = {
  readonly checks: readonly Check[];
  /** Without the settings that were rejected. Null if the rest is not valid either. */
  readonly config: Config | null;
  readonly rejected: ReadonlySet<string>;
};

const HOW = 'Correct it: saldo start --help prints every setting with its meaning and default.';

/**
 * The start stops at the first invalid setting. Here it is left out and the rest is read again, so that one run shows all of
 * them. In a message about a setting that is missing, the setting that needs it is left out, at last NODE_ENV.
 */
function readValid(given: Environment) {
  const env: Record<string, string | undefined> = { ...given };
  const [faults, rejected]: [string[], Set<string>] = [[], new Set()];
  for (;;) {
    const recorded = recordNames(env);
    try {
      return { config: readConfig(recorded.env), names: recorded.names, faults, rejected };
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      faults.push(error.message);
      const named = [...(error.message.match(/[A-Z][A-Z_]+/g) ?? []), 'NODE_ENV'];
      const cause = named.find((name) => env[name] !== undefined && env[name] !== '');
      if (cause === undefined) return { config: null, names: recorded.names, faults, rejected };
      rejected.add(cause);
      delete env[cause];
    }
  }
}

export function checkSettings(env: Environment): SettingsFound {
  const { config, names, faults, rejected } = readValid(env);
  const known = new Set([...names, ...rejected]);
  const checks = [
    ...faults.map((fault) => failed('settings', fault, HOW)),
    ...describeMisspelled(env, known).map((line) =>
      warning('settings', line, 'Rename the variable or remove it.'),
    ),
    ...(config === null ? [] : [...risksOf(config, env), eicOf(config, env)]),
  ];
  const isClean = !checks.some(({ name }) => name === 'settings');
  return {
    checks: isClean ? [ok('settings', 'All settings are valid.'), ...checks] : checks,
    config,
    rejected,
  };
}

/** Valid settings that contradict each other, or the production that NODE_ENV announces. */
function risksOf(config: Config, env: Environment): Check[] {
  const { exchange, baseUrl, tls, host, port, customerPort, adminHost, adminPort } = config;
  const isHttps = baseUrl?.startsWith('https:') === true;
  const risk = (isGiven: boolean, fact: string, remedy: string) =>
    isGiven ? [warning('settings', fact, remedy)] : [];
  const trials = {
    SANDBOX: config.sandbox,
    DEMO: config.demo,
    SIMULATE_TSO: exchange.isSimulated,
    WEBHOOK_ALLOW_PRIVATE: config.allowsPrivateWebhooks,
  };
  const isSame = port !== 0 && (port === customerPort || (port === adminPort && host === adminHost));
  const isSameAdmin = adminPort !== 0 && customerPort === adminPort && host === adminHost;
  return [
    ...(isSame || isSameAdmin
      ? [
          failed(
            'settings',
            `Two of PORT (${port}), CUSTOMER_PORT (${customerPort}) and ADMIN_PORT (${adminPort}) are the same.`,
            'Give each listener a port of its own.',
          ),
        ]
      : []),
    ...Object.entries(trials).flatMap(([name, isOn]) =>
      risk(config.isProduction && isOn, `${name} is on in production.`, `Remove ${name}: it is for trials.`),
    ),
    ...risk(
      isHttps && tls === null && !config.trustProxy,
      'BASE_URL begins with https, TLS_CERT is not set, and TRUST_PROXY is off: all clients behind the proxy share one limit.',
      'Set TRUST_PROXY=on if a proxy ends TLS and replaces X-Forwarded-For, else TLS_CERT and TLS_KEY.',
    ),
    ...risk(
      !isLoopback(host) && tls === null && !isHttps,
      `HOST=${host} can be reached from other machines without TLS: keys and passwords travel in clear text.`,
      'Set TLS_CERT and TLS_KEY, or BASE_URL to the https address of the proxy in front.',
    ),
    ...risk(
      config.demoSignIn === 'on',
      'DEMO_SIGN_IN=on: every browser that reaches the portal of a demo can sign in as its operator.',
      'Set DEMO_SIGN_IN=local, or protect PORT with a firewall.',
    ),
    ...risk(
      !isLoopback(adminHost),
      `ADMIN_HOST=${adminHost} can be reached from other machines, and its pages need no key.`,
      'Protect ADMIN_PORT with a firewall, or set ADMIN_HOST=127.0.0.1.',
    ),
    ...risk(
      (env['SFTP_KNOWN_HOSTS'] ?? '') !== '' && Object.keys(exchange.sftp).length === 0,
      'SFTP_KNOWN_HOSTS is set, and EXCHANGE_TRANSPORTS names no SFTP server.',
      'Set EXCHANGE_TRANSPORTS, or remove SFTP_KNOWN_HOSTS.',
    ),
  ];
}

/** The value itself was checked with the other settings. */
const eicOf = ({ operator: { eic } }: Config, env: Environment): Check =>
  (env['OPERATOR_EIC'] ?? '') === ''
    ? warning(
        'eic',
        `OPERATOR_EIC is not valid or not set, so that schedules are sent by the example ${eic}.`,
        'Set OPERATOR_EIC to the EIC of the operator.',
      )
    : ok('eic', `The EIC ${eic} of the operator is valid.`);
