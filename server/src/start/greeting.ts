import path from 'node:path';
import { invitationLink } from '../users/actions.ts';
import type { Config } from './config.ts';
import { demoFile, type FirstAccess, hasDemo } from './first-start.ts';
import type { Platform } from './start-platform.ts';

/** As a person would type it after the start. */
const shortPath = (file: string): string => {
  const relative = path.relative(process.cwd(), file);
  return relative.startsWith('..') ? file : relative;
};

/**
 * What a start prints when the platform is ready. A person in a terminal gets one address to open. Scripts and service
 * managers, which read a pipe, get the addresses of all listeners too.
 */
export function greetingOf(
  config: Config,
  { baseUrl, customerUrl, adminUrl }: Pick<Platform, 'baseUrl' | 'customerUrl' | 'adminUrl'>,
  { newOperatorKey, invitation }: FirstAccess,
  isTerminal: boolean,
): string {
  const lists = [
    // Without a password the portal opens with the link of the invitation only.
    [invitation === null ? `Saldo is ready. Open ${baseUrl}/ in a browser.` : 'Saldo is ready.'],
    isTerminal && !config.isProduction
      ? []
      : [
          `  BRP API       ${baseUrl}/v1`,
          `  Docs          ${baseUrl}/docs`,
          `  Portal        ${baseUrl}/`,
          `  Customer API  ${customerUrl}/v1`,
          `  Its docs      ${customerUrl}/docs`,
          `  Health        ${adminUrl}/readyz`,
        ],
    newOperatorKey === null ? [] : [`  Operator key: ${newOperatorKey}`],
    invitation === null
      ? []
      : [
          `  Portal link for ${invitation.email} (valid once, for 72 hours):`,
          `  ${invitationLink(baseUrl, invitation.token)}`,
          '',
          '  Until one has been used, each start makes new ones. Later: saldo operator-key, saldo operator-link.',
        ],
    config.isProduction
      ? []
      : [
          ...(hasDemo(config)
            ? [`Keys for curl and the passwords of all users are in ${shortPath(demoFile(config))}.`]
            : []),
          'Press Ctrl+C to stop.',
        ],
    config.workers > 1 && config.redisUrl === null
      ? [
          `Each of the ${config.workers} workers counts rate limits separately. Set REDIS_URL to count together.`,
        ]
      : [],
  ];
  return `\n${lists.flatMap((lines) => (lines.length === 0 ? [] : [...lines, ''])).join('\n')}`;
}
