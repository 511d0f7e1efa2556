import Type, { type Static, type TSchema } from 'typebox';
import { asOfQuery, DateTime, Page, pageQuery, paginationExample, Strict } from './common.ts';
import { endpoint, endpoints } from './endpoint.ts';
import { nominationEndpoints } from './nominations.ts';
import type { ProblemCode } from './problems.ts';
import type { Scope } from './scopes.ts';
import { transactionEndpoints } from './transactions.ts';

const PublicKey = Type.String({
  description: 'Ed25519: 32 bytes in base64.',
  examples: ['1Hx0dWZ0cXk3bDVqM2I5cDhzZDZnNGYyaDBhMWNlNzM='],
});
const HashHex = (description: string) =>
  Type.String({
    pattern: '^[0-9a-f]{64}$',
    description,
    examples: ['6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d'],
  });
const treeSize = (description: string) =>
  Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description, examples: [48211] });

export const LedgerKey = Type.Object(
  {
    public_key: PublicKey,
    algorithm: Type.Literal('Ed25519', { description: 'How seals are signed.' }),
    first_used_at: DateTime('Its first seal, or when it was added if it has none.'),
    previous_keys: Type.Array(
      Type.Object(
        {
          public_key: PublicKey,
          first_used_at: DateTime('Its first seal.'),
          last_used_at: DateTime('Its last seal.'),
        },
        { title: 'PreviousLedgerKey' },
      ),
      { description: 'Other keys that have signed seals, newest first.' },
    ),
  },
  { title: 'LedgerKey' },
);
export type LedgerKey = Static<typeof LedgerKey>;

export const Seal = Type.Object(
  {
    tree_size: treeSize('Number of entries in the tree.'),
    root_hash: HashHex('Root of the Merkle tree (RFC 9162), in hex.'),
    sealed_at: DateTime('When it was signed, by the platform’s clock.', '2026-01-14T12:31:30.000Z'),
    signature: Type.String({
      description:
        'Ed25519 in base64, of the lines `saldo-seal-v1`, `tree_size`, `root_hash` and `sealed_at`, each with a line feed.',
    }),
    public_key: PublicKey,
  },
  { title: 'Seal' },
);
export type Seal = Static<typeof Seal>;

export const Consistency = Type.Object(
  {
    from: treeSize('Size of the earlier tree.'),
    to: treeSize('Size of the later tree.'),
    consistency_path: Type.Array(HashHex('A node of the tree.'), {
      description: 'RFC 9162, 2.1.4: proves that the later tree extends the earlier one.',
    }),
  },
  { title: 'Consistency' },
);
export type Consistency = Static<typeof Consistency>;

export const Proof = Type.Object(
  {
    entry: Type.String({ description: 'The bytes of the entry in base64: canonical JSON (RFC 8785).' }),
    leaf_index: Type.Integer({ minimum: 0, description: 'Number of the entry in the tree, from 0.' }),
    seal: Seal,
    audit_path: Type.Array(HashHex('A node of the tree.'), {
      description: 'RFC 9162, 2.1.3: leads from the entry to the root.',
    }),
  },
  { title: 'Proof' },
);
export type Proof = Static<typeof Proof>;

export const sealExample: Seal = {
  tree_size: 1,
  root_hash: 'd04f3bd74a86a7cc47e4e3d6c1bcb6e7f8b4a4ad9d8b0d5f6a9a37f1f0f0a1c2',
  sealed_at: '2026-01-14T12:31:30.000Z',
  signature: 'c2lnbmF0dXJlLW9mLXRoZS1zZWFsLTY0LWJ5dGVzLWxvbmctc2lnbmF0dXJlLW9mLXRoZS1zZWFsLTY0LWJ5dGVzLQ==',
  public_key: '1Hx0dWZ0cXk3bDVqM2I5cDhzZDZnNGYyaDBhMWNlNzM=',
};

const proof = <const Path extends string>(path: Path, record: string, scope: Scope, notFound: ProblemCode) =>
  endpoint({
    method: 'GET',
    path,
    summary: `Read the proof of a ${record}`,
    description: `The newest entry of the ledger about the ${record}, and the proof that it is part of a sealed tree. With \`as_of\` the newest one at that instant.`,
    scopes: [scope],
    query: Strict({ ...asOfQuery }),
    response: Proof,
    problems: [notFound, 'not_sealed', 'ledger_mismatch', 'clock_moved_back'],
    example: {
      response: {
        entry: 'eyJjb21taXR0ZWRfYXQiOiIyMDI2In0=',
        leaf_index: 0,
        seal: sealExample,
        audit_path: [],
      },
    },
  });

/** For any valid key: seals and keys have no data of tenants. */
const ledgerOf = <const Base extends string>(base: Base) => {
  const of = <const Name extends string, Response extends TSchema, Query extends TSchema>(
    name: Name,
    operation: {
      summary: string;
      description: string;
      query: Query;
      response: Response;
      problems?: readonly ProblemCode[];
      example: { response: unknown };
    },
  ) => endpoint({ method: 'GET', path: `${base}/ledger/${name}`, ...operation });
  return {
    key: of('key', {
      summary: 'Read the ledger’s public key',
      description: 'The key that verifies new seals, and those of earlier seals.',
      query: Strict({}),
      response: LedgerKey,
      example: {
        response: {
          public_key: sealExample.public_key,
          algorithm: 'Ed25519',
          first_used_at: '2026-01-14T12:31:30.000Z',
          previous_keys: [],
        },
      },
    }),
    seals: of('seals', {
      summary: 'List the seals of the ledger',
      description:
        'Signed roots of the tree of all entries, newest first. Keep them elsewhere: the tree only grows.',
      query: Strict({ tree_size: Type.Optional(treeSize('Only the seal of this size.')), ...pageQuery }),
      response: Page('seals', Seal, 'SealList'),
      example: { response: { seals: [sealExample], pagination: paginationExample } },
    }),
    consistency: of('consistency', {
      summary: 'Prove that the ledger only grew',
      description: 'The proof that the tree of one seal extends the tree of an earlier seal.',
      query: Strict({
        from: treeSize('Size of the earlier seal.'),
        to: treeSize('Size of the later seal, which is not smaller.'),
      }),
      response: Consistency,
      problems: ['seal_not_found'],
      example: { response: { from: 1, to: 2, consistency_path: [sealExample.root_hash] } },
    }),
  };
};

const brpLedger = ledgerOf('/v1');
export const ledgerEndpoints = endpoints('Ledger', {
  getLedgerKey: brpLedger.key,
  listSeals: brpLedger.seals,
  getConsistency: brpLedger.consistency,
  getTransactionProof: proof(
    `${transactionEndpoints.getTransaction.path}/proof`,
    'transaction',
    'transactions:read',
    'transaction_not_found',
  ),
  getNominationProof: proof(
    `${nominationEndpoints.getNomination.path}/proof`,
    'nomination',
    'nominations:read',
    'nomination_not_found',
  ),
});

const operatorLedger = ledgerOf('/operator/v1');
export const operatorLedgerEndpoints = endpoints('Ledger', {
  operatorGetLedgerKey: operatorLedger.key,
  operatorListSeals: operatorLedger.seals,
  operatorGetConsistency: operatorLedger.consistency,
  operatorGetTransactionProof: proof(
    '/operator/v1/transactions/{transaction_id}/proof',
    'transaction',
    'read',
    'transaction_not_found',
  ),
  operatorGetNominationProof: proof(
    '/operator/v1/nominations/{nomination_id}/proof',
    'nomination',
    'read',
    'nomination_not_found',
  ),
});
