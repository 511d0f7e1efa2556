/**
 * The recipe of deploy/ha on one machine: every machine of the recipe has its own loopback address and folder. The
 * trial acts as their service manager.
 */
import { chown, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { chooseAccount } from '@saldo/postgres/cluster.ts';
import type { Account } from '@saldo/postgres/programs.ts';
import { SALDO } from '../../src/platform/db/embedded.ts';
import { newSecretsKey, writeSecretsKeys } from '../../src/start/secrets-key-file.ts';
import { freePort } from '../../test/ports.ts';
import { type Product, startProduct } from '../../test/product.ts';
import type { ProductAddresses } from '../clients.ts';
import type { System } from '../fault-run.ts';
import { findPostmaster, signal, withDescendants } from '../processes.ts';
import { findPrimaryUrl, listMembers, type Member, requestSwitchover } from './patroni.ts';
import type { Programs } from './programs.ts';
import { exampleValues, fillIn, parseVariables, RECIPE_FILES, type Values } from './recipe.ts';
import { createService, type Service } from './service.ts';

const HOSTS = {
  DB1: '127.0.0.11',
  DB2: '127.0.0.12',
  DB3: '127.0.0.13',
  APP1: '127.0.0.21',
  APP2: '127.0.0.22',
};
const DATABASE_MACHINES = ['db1', 'db2', 'db3'];
const APPLICATION_MACHINES = ['app1', 'app2'];
const LOOK_EVERY_MS = 200;
/** A machine copies the whole database when it starts for the first time. */
const COMPLETE_WITHIN_MS = 180_000;

export type DatabaseMachine = {
  readonly name: string;
  readonly patroniUrl: string;
  readonly etcd: Service;
  readonly patroni: Service;
  /** The processes of Postgres, the postmaster first. */
  postgresPids(): number[];
  /** All processes, Patroni first: it must not see the others end. */
  pids(): number[];
};

export class Cluster implements System {
  readonly mode = 'patroni';
  readonly loadBeforeMs = [1_000, 3_000] as const;
  /** The goal for each fail-over. */
  readonly backWithinS = 30;
  readonly databases: readonly DatabaseMachine[];
  readonly addresses: ProductAddresses;
  private readonly ends: string[] = [];
  private readonly values: Values;
  private readonly settings: (machine: string) => Record<string, string>;
  private readonly proxies: readonly Service[];
  private readonly products: Product[] = [];
  private isStopping = false;

  static async open(folder: string, programs: Programs, operatorKey: string): Promise<Cluster> {
    const account = await chooseAccount(SALDO, folder);
    const values = await chooseValues(programs);
    for (const machine of [...DATABASE_MACHINES, ...APPLICATION_MACHINES])
      await writeFiles(folder, machine, values, account);
    if (account !== undefined) await chown(folder, account.uid, account.gid);
    return new Cluster(folder, programs, values, account, operatorKey);
  }

  private constructor(
    folder: string,
    programs: Programs,
    values: Values,
    account: Account | undefined,
    operatorKey: string,
  ) {
    this.values = values;
    const service = (machine: string, name: string, command: readonly [string, ...string[]]) => {
      const logFile = path.join(folder, machine, `${name}.log`);
      return createService({ name: `${name} of ${machine}`, command, logFile, account });
    };
    this.databases = DATABASE_MACHINES.map((name) => {
      const config = (file: string) => path.join(folder, name, file);
      const etcd = service(name, 'etcd', [programs.etcd, '--config-file', config('etcd.yml')]);
      const patroni = service(name, 'patroni', [programs.patroni, config('patroni.yml')]);
      const postgresPids = () => {
        const postmaster = findPostmaster(config('data'));
        return postmaster === null ? [] : withDescendants(postmaster);
      };
      const pidsOf = ({ pid }: Service) => (pid() === null ? [] : withDescendants(pid()!));
      const host = hostOf(name);
      return {
        name,
        patroniUrl: `http://${host}:${values['PATRONI_PORT']}`,
        etcd,
        patroni,
        postgresPids,
        // Patroni may be the parent of the postmaster, whose processes must not get a signal twice.
        pids: () => [...new Set([...pidsOf(patroni), ...postgresPids(), ...pidsOf(etcd)])],
      };
    });
    this.proxies = [
      service('app1', 'redis', [programs.redis, path.join(folder, 'app1', 'redis.conf')]),
      ...APPLICATION_MACHINES.flatMap((name) => {
        const config = (file: string) => path.join(folder, name, file);
        const haproxy = service(name, 'haproxy', [programs.haproxy, '-db', '-f', config('haproxy.cfg')]);
        const { pgbouncer } = programs;
        if (pgbouncer === null) return [haproxy];
        return [haproxy, service(name, 'pgbouncer', [pgbouncer, config('pgbouncer.ini')])];
      }),
    ];
    this.settings = (machine) => {
      const settings = parseVariables(fillIn('saldo.env', valuesOf(folder, machine, values)));
      const { DATABASE_DIRECT_URL: direct = '', ...withoutPooler } = settings;
      return {
        ...(programs.pgbouncer === null ? { ...withoutPooler, DATABASE_URL: direct } : settings),
        DATA_DIR: path.join(folder, machine, 'saldo'),
        SALDO_OPERATOR_KEY: operatorKey,
        DEMO: 'off',
        RATE_LIMIT: '1000000',
        LOG_LEVEL: 'warn',
      };
    };
    const dataDir = path.join(folder, 'app1', 'saldo');
    const primary = `${hostOf('app1')}:${values['PRIMARY_PORT']}`;
    this.addresses = {
      baseUrl: values['BASE_URL']!,
      databaseUrl: `postgres://saldo:${values['SALDO_PASSWORD']}@${primary}/saldo`,
      outboxDir: path.join(dataDir, 'outbox'),
      inboxDir: path.join(dataDir, 'inbox'),
    };
  }

  async start(): Promise<void> {
    // However the trial ends, none of its processes remains.
    process.on('exit', () => this.killAll());
    for (const { etcd, patroni } of this.databases) {
      etcd.start();
      patroni.start();
    }
    if (!(await this.untilComplete())) throw new Error('The machines of the database did not start.');
    for (const proxy of this.proxies) proxy.start();
    await this.copyKeyFile();
    for (const machine of APPLICATION_MACHINES) await this.startSaldo(machine);
  }

  /** As the recipe says: both machines have the same file. */
  private async copyKeyFile(): Promise<void> {
    const keys = [newSecretsKey()];
    for (const machine of APPLICATION_MACHINES)
      await writeSecretsKeys(path.join(this.settings(machine)['DATA_DIR']!, 'secrets.key'), keys);
  }

  private async startSaldo(machine: string): Promise<void> {
    const product = await startProduct(
      this.settings(machine) as Record<string, string> & { DATA_DIR: string },
    );
    product.child.once('exit', (code, name) => {
      if (this.isStopping) return;
      const lastLines = product.log().trimEnd().split('\n').slice(-20).join('\n');
      this.ends.push(`Saldo of ${machine} ended with ${name ?? code}\n${lastLines}`);
    });
    this.products.push(product);
  }

  unplannedEnds(): readonly string[] {
    return this.ends;
  }

  /** The log lines of both processes of Saldo. */
  logs(): string {
    return this.products.map(({ log }) => log()).join('');
  }

  /** The primary according to Patroni, or null while there is none. */
  async findPrimary(): Promise<DatabaseMachine | null> {
    const urls = this.databases.map(({ patroniUrl }) => patroniUrl);
    const found = await findPrimaryUrl(urls);
    return this.databases.find(({ patroniUrl }) => patroniUrl === found) ?? null;
  }

  async getPrimary(): Promise<DatabaseMachine> {
    const primary = await this.findPrimary();
    if (primary === null) throw new Error('The cluster has no primary.');
    return primary;
  }

  async getSynchronousStandby(): Promise<DatabaseMachine> {
    const listed = await listMembers((await this.getPrimary()).patroniUrl);
    const name = listed.find(({ role }) => role === 'sync_standby')?.name;
    const found = this.databases.find((machine) => machine.name === name);
    if (found === undefined) throw new Error('The cluster has no synchronous standby.');
    return found;
  }

  requestSwitchover({ patroniUrl, name }: DatabaseMachine): Promise<boolean> {
    return requestSwitchover(patroniUrl, name, this.values['PATRONI_PASSWORD']!);
  }

  /** Whether all machines take part, and a standby is synchronous, within a generous time. */
  async untilComplete(): Promise<boolean> {
    const deadline = Date.now() + COMPLETE_WITHIN_MS;
    for (;;) {
      const primary = await this.findPrimary();
      const listed = primary === null ? [] : await listMembers(primary.patroniUrl);
      if (isComplete(listed)) return true;
      if (Date.now() > deadline) return false;
      await delay(LOOK_EVERY_MS);
    }
  }

  async stop(): Promise<(number | null)[]> {
    this.isStopping = true;
    const codes = await Promise.all(
      this.products.map(async (product) => product.child.exitCode ?? product.end('SIGTERM')),
    );
    for (const proxy of this.proxies) await proxy.end('SIGTERM');
    // Patroni stops its Postgres.
    await Promise.all(this.databases.map(({ patroni }) => patroni.end('SIGTERM')));
    for (const { etcd } of this.databases) await etcd.end('SIGTERM');
    return codes;
  }

  private killAll(): void {
    this.isStopping = true;
    for (const { child } of this.products) child.kill('SIGKILL');
    for (const machine of this.databases) for (const pid of machine.pids()) signal(pid, 'SIGKILL');
    for (const { pid } of this.proxies) if (pid() !== null) signal(pid()!, 'SIGKILL');
  }
}

function isComplete(listed: readonly Member[]): boolean {
  const timelines = new Set(listed.map(({ timeline }) => timeline));
  return (
    listed.length === DATABASE_MACHINES.length &&
    listed.every(({ state }) => state === 'running' || state === 'streaming') &&
    listed.some(({ role }) => role === 'sync_standby') &&
    timelines.size === 1
  );
}

const hostOf = (machine: string): string => HOSTS[machine.toUpperCase() as keyof typeof HOSTS];

/** The values of the recipe, with free ports and the programs of this machine. */
async function chooseValues(programs: Programs): Promise<Values> {
  const values: Record<string, string> = { ...exampleValues(), ...HOSTS };
  const taken = new Set<string>();
  for (const name of Object.keys(values).filter((one) => one.endsWith('_PORT'))) {
    do values[name] = String(await freePort());
    while (taken.has(values[name]));
    taken.add(values[name]);
  }
  return {
    ...values,
    NETWORK: '127.0.0.0/8',
    OPERATOR_EIC: '11XSALDO-------Z',
    BASE_URL: `http://${HOSTS.APP1}:${values['PUBLIC_PORT']}`,
    CUSTOMER_BASE_URL: `http://${HOSTS.APP1}:${values['PUBLIC_CUSTOMER_PORT']}`,
    POSTGRES_BIN: programs.postgresBin,
    ETCD_API: programs.etcdApi,
    // A frozen Patroni would reset this machine.
    WATCHDOG: 'off',
  };
}

/** The values of one machine, whose files are all in its folder. */
const valuesOf = (folder: string, machine: string, values: Values): Values => ({
  ...values,
  NODE: machine,
  NODE_HOST: hostOf(machine),
  CONFIG_DIR: path.join(folder, machine),
  POSTGRES_DATA: path.join(folder, machine, 'data'),
  POSTGRES_SOCKETS: path.join(folder, machine),
  ETCD_DATA: path.join(folder, machine, 'etcd'),
  REDIS_DATA: path.join(folder, machine),
  EXCHANGE_FOLDERS: machine === 'app1' ? 'on' : 'off',
});

async function writeFiles(
  folder: string,
  machine: string,
  values: Values,
  account: Account | undefined,
): Promise<void> {
  const own = path.join(folder, machine);
  await mkdir(own, { mode: 0o700 });
  for (const file of RECIPE_FILES) {
    const mode = file.endsWith('.sh') ? 0o700 : 0o600;
    await writeFile(path.join(own, file), fillIn(file, valuesOf(folder, machine, values)), { mode });
    if (account !== undefined) await chown(path.join(own, file), account.uid, account.gid);
  }
  if (account !== undefined) await chown(own, account.uid, account.gid);
}
