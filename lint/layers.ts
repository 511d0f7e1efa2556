/**
 * Lint rule of this project: imports go one way. Each folder below may import itself and the folders listed for it, in
 * types too, and packages from outside unless these are restricted. Folders that are not listed are programs or tests,
 * and may import everything.
 */
import path from 'node:path';
import { fileURLToPath } from 'node:url';

type Node = { readonly source?: { readonly value?: unknown } | null };
type Context = {
  readonly filename: string;
  report(problem: { node: Node; message: string }): void;
};

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** In order: each may import those before it. */
const PLATFORM = [
  'server/src/platform/bytes',
  'server/src/platform/parquet',
  'server/src/platform/clock.ts',
  'server/src/platform/heap.ts',
  'server/src/platform/timeout.ts',
  'server/src/platform/db',
  'server/src/platform/auth',
  'server/src/platform/jobs.ts',
  'server/src/platform/telemetry',
  'server/src/platform/http',
];
/** In order: each may import those before it, and the platform. */
const SUBJECTS = [
  'server/src/ledger',
  'server/src/audit',
  'server/src/events',
  'server/src/requests',
  'server/src/parties',
  'server/src/users',
  'server/src/market',
  'server/src/customers',
  'server/src/series',
  'server/src/contracts',
  'server/src/transactions',
  'server/src/sources',
  'server/src/nominations',
  'server/src/customer-changes',
  'server/src/exchange',
  'server/src/exports',
  'server/src/webhooks',
];
/** In order: each may import those before it, all subjects, and the platform. */
const STARTING = ['server/src/demo', 'server/src/start'];
/** In order: each may import those before it. None of them knows a subject. */
const PORTAL = ['portal/src/session', 'portal/src/i18n', 'portal/src/ui', 'portal/src/charts'];
/** In order: each may import those before it, and the folders above. */
const PORTAL_SUBJECTS = [
  'portal/src/references',
  'portal/src/calendar',
  'portal/src/health',
  'portal/src/keys',
  'portal/src/webhooks',
  'portal/src/requests',
  'portal/src/series',
  'portal/src/market',
  'portal/src/customers',
  'portal/src/nominations',
  'portal/src/transactions',
  'portal/src/contracts',
  'portal/src/exchange',
  'portal/src/story',
  'portal/src/activity',
  'portal/src/audit',
  'portal/src/users',
  'portal/src/parties',
  'portal/src/home',
  'portal/src/search',
];
const PACKAGES = ['core/src', 'api/src'];
const AUDIT = ['server/src/ledger', 'server/src/audit', ...PLATFORM, ...PACKAGES];
const CLIENT = ['sdk/src', 'api/src', 'core/src'];

/** Subjects outside the order of the others. */
const APART: [string, readonly string[]][] = [
  ['server/src/calendar', AUDIT],
  ['server/src/docs', ['server/src/platform/http', 'sdk/src', 'api/src']],
  ['server/src/changes', ['server/src/events', ...AUDIT]],
  ['server/src/health', AUDIT],
  ['server/src/sandbox', AUDIT],
];

const inOrder = (folders: readonly string[], common: readonly string[]) =>
  folders.map((folder, at): [string, string[]] => [folder, [...folders.slice(0, at), ...common]]);

const ALLOWED = new Map<string, readonly string[]>([
  ['core/src', []],
  ['api/src', ['core/src/enums.ts']],
  ['sdk/src', ['api/src', 'core/src/ledger/tree.ts', 'core/src/ledger/verify-proof.ts']],
  ['cli/src', CLIENT],
  ...inOrder(PORTAL, CLIENT),
  ...inOrder(PORTAL_SUBJECTS, [...PORTAL, ...CLIENT]),
  ['portal/src', CLIENT],
  ['postgres/src', []],
  ['simulator/src', ['core/src']],
  ...inOrder(PLATFORM, [...PACKAGES, 'postgres/src']),
  ...inOrder(SUBJECTS, [...PLATFORM, ...PACKAGES]),
  ...APART,
  ...inOrder(STARTING, [
    ...SUBJECTS,
    ...APART.map(([folder]) => folder),
    ...PLATFORM,
    ...PACKAGES,
    'postgres/src',
    'simulator/src',
  ]),
  [
    'server/src/backup',
    [
      'server/src/platform/auth',
      'server/src/platform/db',
      'server/src/start/config.ts',
      'server/src/start/config-error.ts',
      'server/src/start/sealed-columns.ts',
      'server/src/start/secrets-key-file.ts',
      'postgres/src',
    ],
  ],
]);

/** Packages from outside. Folders that are not listed may import any of them. */
const PACKAGES_OF = new Map<string, readonly string[]>([
  ['core/src', []],
  ['api/src', ['typebox']],
]);
/** Folders whose code runs in browsers. */
const BROWSER = /^(?:sdk|portal)\/src/;

const mayImportPackage = (layer: string, specifier: string) =>
  (PACKAGES_OF.get(layer)?.includes(specifier) ?? true) &&
  !(BROWSER.test(layer) && specifier.startsWith('node:'));

const isIn = (file: string, folder: string) => file === folder || file.startsWith(`${folder}/`);

const layerOf = (file: string) => ALLOWED.keys().find((folder) => isIn(file, folder));

/** The imported file, relative to the root. Null for packages from outside and for Node. */
function targetOf(specifier: string, file: string): string | null {
  if (specifier.startsWith('.')) return path.posix.join(path.posix.dirname(file), specifier);
  const [, name, rest = 'index.ts'] = /^@saldo\/([^/]+)(?:\/(.+))?$/.exec(specifier) ?? [];
  return name === undefined ? null : `${name}/src/${rest}`;
}

export const layers = {
  create(context: Context) {
    const file = path.relative(ROOT, context.filename).replaceAll('\\', '/');
    const layer = layerOf(file);
    if (/\.test\.tsx?$/.test(file)) return {};
    if (layer === undefined && !isIn(file, 'server/src/platform')) return {};
    // A new part of the platform has to be listed before it may import anything.
    const allowed = layer === undefined ? [] : [layer, ...(ALLOWED.get(layer) ?? [])];
    const check = (node: Node) => {
      const specifier = node.source?.value;
      if (typeof specifier !== 'string') return;
      const target = targetOf(specifier, file);
      const isAllowed =
        target === null
          ? layer === undefined || mayImportPackage(layer, specifier)
          : allowed.some((folder) => isIn(target, folder));
      if (isAllowed) return;
      const message = `${layer ?? file} must not import ${target ?? specifier}: see the order in lint/layers.ts.`;
      context.report({ node, message });
    };
    return {
      ImportDeclaration: check,
      ExportNamedDeclaration: check,
      ExportAllDeclaration: check,
      ImportExpression: check,
      TSImportType: check,
    };
  },
};
