import { readFile } from 'node:fs/promises';
import path from 'node:path';

/** An entry of `package-lock.json`, as far as it is read here. */
type Locked = {
  readonly name?: string;
  readonly version?: string;
  readonly license?: string;
  readonly integrity?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
};
type Lockfile = { readonly packages: Readonly<Record<string, Locked>> };
type Application = { readonly name: string; readonly version: string; readonly license: string };

const MODULES = 'node_modules/';

/** The name of an alias (`"nan": "npm:empty-npm-package"`) is in its entry, other names are in the path. */
const nameOf = (place: string, { name }: Locked) =>
  name ?? place.slice(place.lastIndexOf(MODULES) + MODULES.length);

/** https://github.com/package-url/purl-spec: only the `@` of a scope is encoded. */
const purlOf = (place: string, locked: Locked) =>
  `pkg:npm/${nameOf(place, locked).replace('@', '%40')}@${locked.version}`;

/** Finds a dependency as Node.js does: in the package's own folder, then in those above it. */
function resolve(packages: Lockfile['packages'], from: string, name: string): string | null {
  for (let folder = from; ; folder = path.posix.dirname(folder)) {
    const place = folder === '.' ? MODULES + name : `${folder}/${MODULES}${name}`;
    if (place in packages) return place;
    if (folder === '.') return null;
  }
}

/** An expression is not an id: `MIT OR Apache-2.0`. */
const licencesOf = ({ license }: Locked) =>
  license === undefined
    ? []
    : [/[ (]/.test(license) ? { expression: license } : { license: { id: license } }];

/** Old packages have a list, which npm does not copy into the lockfile. */
async function oldLicence(root: string, place: string): Promise<{ license?: string }> {
  const text = await readFile(path.join(root, place, 'package.json'), 'utf8');
  const { licenses = [] } = JSON.parse(text) as { licenses?: { type: string }[] };
  return licenses.length === 0 ? {} : { license: licenses.map(({ type }) => type).join(' OR ') };
}

function componentOf(place: string, locked: Locked) {
  const [, scope, name] = /^(?:(@[^/]+)\/)?(.+)$/.exec(nameOf(place, locked)) ?? [];
  const [algorithm, digest = ''] = (locked.integrity ?? '').split('-', 2);
  return {
    type: 'library',
    'bom-ref': purlOf(place, locked),
    ...(scope === undefined ? {} : { group: scope }),
    name,
    version: locked.version,
    ...(algorithm === 'sha512'
      ? { hashes: [{ alg: 'SHA-512', content: Buffer.from(digest, 'base64').toString('hex') }] }
      : {}),
    licenses: licencesOf(locked),
    purl: purlOf(place, locked),
  };
}

/**
 * The software bill of materials of a release, as CycloneDX 1.6: the npm packages at these paths below the root, ours
 * together as the application. It has no time and no random number, so that equal releases have equal files.
 */
export async function billOfMaterials(
  root: string,
  places: ReadonlySet<string>,
  application: Application,
): Promise<object> {
  const { packages } = JSON.parse(await readFile(path.join(root, 'package-lock.json'), 'utf8')) as Lockfile;
  const self = `pkg:generic/${application.name}@${application.version}`;
  const [components, edges] = [new Map<string, object>(), new Map([[self, new Set<string>()]])];
  for (const place of [...places].toSorted()) {
    const entry = packages[place];
    if (entry === undefined) throw new Error(`${place} is not in package-lock.json: run npm ci first.`);
    const locked = entry.license === undefined ? { ...entry, ...(await oldLicence(root, place)) } : entry;
    const isOurs = !place.includes(MODULES);
    const reference = isOurs ? self : purlOf(place, locked);
    if (!isOurs) components.set(reference, componentOf(place, locked));
    const targets = edges.getOrInsertComputed(reference, () => new Set());
    const wanted = { ...locked.dependencies, ...locked.optionalDependencies, ...locked.peerDependencies };
    for (const name of Object.keys(wanted)) {
      const found = resolve(packages, place, name);
      // Workspaces are links, which have no version. Packages of other platforms are not installed.
      const target = found !== null && places.has(found) ? packages[found] : undefined;
      if (found !== null && target?.version !== undefined) targets.add(purlOf(found, target));
    }
  }
  const sorted = [...components].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      component: {
        type: 'application',
        'bom-ref': self,
        name: application.name,
        version: application.version,
        licenses: licencesOf(application),
        purl: self,
      },
    },
    components: sorted.map(([, component]) => component),
    dependencies: [self, ...sorted.map(([reference]) => reference)].map((ref) => ({
      ref,
      dependsOn: [...(edges.get(ref) ?? [])].toSorted(),
    })),
  };
}
