import { createBrpClient, createMarketClient, createOperatorClient } from '@saldo/sdk';
import { type Call, type SampledApi, sentFile } from './call.ts';
import { literal, type Syntax } from './literal.ts';

const SYNTAX: Syntax = {
  string: (text) => `'${text.replaceAll(/[\\']/g, '\\$&').replaceAll('\n', '\\n')}'`,
  key: (name) => (/^[a-z_]\w*$/i.test(name) ? name : `'${name}'`),
  words: { null: 'null', true: 'true', false: 'false' },
  padding: ' ',
};

const CLIENTS = {
  brp: { name: 'createBrpClient', create: createBrpClient },
  operator: { name: 'createOperatorClient', create: createOperatorClient },
  market: { name: 'createMarketClient', create: createMarketClient },
} as const;

/** What a method of the SDK says about itself. */
type Method = { readonly endpointId?: string; readonly isDownload?: boolean };
type Named = { readonly name: string; readonly isDownload: boolean };

/** The methods of a client by the ids of their operations. */
function methodsOf(client: SampledApi['client']): ReadonlyMap<string, Named> {
  const methods = new Map<string, Named>();
  const groups = CLIENTS[client].create({ baseUrl: 'https://saldo.example', apiKey: 'key' });
  for (const [group, members] of Object.entries(groups))
    for (const [name, method] of Object.entries(members)) {
      const { endpointId, isDownload = false } = method as Method;
      if (endpointId !== undefined) methods.set(endpointId, { name: `${group}.${name}`, isDownload });
    }
  return methods;
}

const METHODS = {
  brp: methodsOf('brp'),
  operator: methodsOf('operator'),
  market: methodsOf('market'),
} as const;

/** Ids, then the body or the filters; a file, then its format. */
function argumentsOf(call: Call): string[] {
  const { pathParameters, query, body } = call;
  const ids = pathParameters.map(([, value]) => literal(value, SYNTAX));
  const file = sentFile(call);
  if (file !== null) {
    const format = file.endsWith('.csv') ? ["{ format: 'csv' }"] : [];
    return [`await openAsBlob('${file}')`, ...format];
  }
  const payload = body === null ? Object.fromEntries(query) : body.example;
  const isEmpty = typeof payload === 'object' && payload !== null && Object.keys(payload).length === 0;
  return isEmpty ? ids : [...ids, literal(payload, SYNTAX)];
}

export function typescriptSample(call: Call, { client, url, key }: SampledApi): string {
  const method = METHODS[client].get(call.id);
  if (method === undefined) throw new Error(`the SDK has no method for ${call.id}`);
  const { name: create } = CLIENTS[client];
  const invocation = `await saldo.${method.name}(${argumentsOf(call).join(', ')})`;
  const statements = method.isDownload
    ? `const file = ${invocation};\nawait file.saveTo(file.fileName);`
    : call.answerType === null
      ? `${invocation};`
      : `console.log(${invocation});`;
  return `${sentFile(call) === null ? '' : "import { openAsBlob } from 'node:fs';\n"}import { ${create} } from '@saldo/sdk';

const saldo = ${create}({
  baseUrl: process.env.${url} ?? '',
  apiKey: process.env.${key} ?? '',
});
${statements}`;
}
