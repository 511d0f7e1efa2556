type Guide = { readonly url: string; readonly label: string; readonly file: string };
type GuideGroup = { readonly label: string; readonly pages: readonly Guide[] };

/** Clients that every platform serves, of its own version. */
export const PACKAGES = ['saldo-sdk.tgz', 'saldo-cli.tgz', 'saldo_client.py'] as const;

const guide = (url: string, label: string, file: string): Guide => ({ url: `/docs${url}`, label, file });

/** The written pages in the order of the navigation. A page that is not listed is not served. */
export const GUIDES: readonly GuideGroup[] = [
  {
    label: 'For developers',
    pages: [
      guide('', 'Overview', 'docs/README.md'),
      guide('/guides/getting-started', 'Getting started', 'docs/guides/getting-started.md'),
      guide('/guides/authentication', 'Authentication and scopes', 'docs/guides/authentication.md'),
      guide('/guides/lists', 'Pages and filters', 'docs/guides/lists.md'),
      guide('/guides/time', 'Time and clock changes', 'docs/guides/time.md'),
      guide('/guides/versions', 'Versions and corrections', 'docs/guides/versions.md'),
      guide('/guides/errors', 'Errors', 'docs/guides/errors.md'),
      guide('/guides/rate-limits', 'Rate limits', 'docs/guides/rate-limits.md'),
      guide('/limits', 'Limits and promises', 'docs/limits.md'),
      guide('/events', 'Events and webhooks', 'docs/events.md'),
      guide('/exports', 'Exports', 'docs/exports.md'),
      guide(
        '/guides/does-my-schedule-match',
        'Check before the gate',
        'docs/guides/does-my-schedule-match.md',
      ),
      guide('/guides/why-was-it-cut', 'Why was it cut?', 'docs/guides/why-was-it-cut.md'),
      guide('/guides/proofs', 'Proofs', 'docs/guides/proofs.md'),
      guide('/guides/market', 'Browse the market', 'docs/guides/market.md'),
      guide('/sdk', 'TypeScript SDK', 'sdk/README.md'),
      guide('/guides/python', 'Python client', 'docs/guides/python.md'),
      guide('/cli', 'Command line', 'cli/README.md'),
    ],
  },
  {
    label: 'For operators',
    pages: [
      guide('/tour', 'Saldo in five minutes', 'docs/tour.md'),
      guide('/operators/onboarding', 'Onboarding', 'docs/operators/onboarding.md'),
      guide('/operators/users', 'Users and sessions', 'docs/operators/users.md'),
      guide('/operators/directory', 'Sign in with your directory', 'docs/operators/directory.md'),
      guide('/portal', 'The portal', 'docs/portal.md'),
      guide('/operators/imports', 'Imports', 'docs/operators/imports.md'),
      guide('/series', 'Series', 'docs/series.md'),
      guide('/mscons', 'MSCONS', 'docs/mscons.md'),
      guide('/forecast-to-nomination', 'From a forecast to a nomination', 'docs/forecast-to-nomination.md'),
      guide('/operators/daily-run', 'The daily run', 'docs/operators/daily-run.md'),
      guide('/operators/exchange', 'The exchange', 'docs/operators/exchange.md'),
      guide('/scheduling', 'Schedules and answers', 'docs/scheduling.md'),
      guide('/transport', 'Transport', 'docs/transport.md'),
      guide('/market-rules', 'Market rules', 'docs/market-rules.md'),
      guide('/operations', 'Running Saldo', 'docs/operations.md'),
      guide('/containers', 'In containers', 'docs/containers.md'),
      guide('/systemd', 'With systemd', 'docs/systemd.md'),
      guide('/runbook', 'Runbook of alerts', 'docs/runbook.md'),
      guide('/backup', 'Backup and restore', 'docs/backup.md'),
      guide('/evidence', 'What can be proved', 'docs/evidence.md'),
      guide('/upgrade', 'Upgrading', 'docs/upgrade.md'),
      guide('/load', 'The server under load', 'docs/load.md'),
      guide('/scale', 'Beyond one machine', 'docs/scale.md'),
      guide('/ha', 'High availability', 'docs/ha.md'),
    ],
  },
  {
    label: 'About',
    pages: [
      guide('/glossary', 'Glossary', 'docs/glossary.md'),
      guide('/versioning', 'Versioning policy', 'docs/versioning.md'),
      guide('/changelog', 'Changelog', 'CHANGELOG.md'),
    ],
  },
];
