import { pythonMethod, pythonParameter } from '@saldo/sdk/python-names.ts';
import { type Call, type SampledApi, sentFile } from './call.ts';
import { literal, type Syntax } from './literal.ts';

const SYNTAX: Syntax = {
  string: JSON.stringify,
  key: JSON.stringify,
  words: { null: 'None', true: 'True', false: 'False' },
  padding: '',
};

const CLIENTS = { brp: 'BrpClient', operator: 'OperatorClient', market: 'MarketClient' } as const;

/** Ids, then the body, then filters by name; a file, then its media type. */
function argumentsOf(call: Call): string[] {
  const { pathParameters, query, body } = call;
  const ids = pathParameters.map(([, value]) => literal(value, SYNTAX));
  const filters = query.map(([name, value]) => `${pythonParameter(name)}=${literal(value, SYNTAX)}`);
  if (body === null) return [...ids, ...filters];
  if (sentFile(call) !== null) return [...ids, 'file', JSON.stringify(body.mediaType), ...filters];
  const isEmpty = JSON.stringify(body.example) === '{}';
  return [...ids, ...(isEmpty ? [] : [literal(body.example, SYNTAX)]), ...filters];
}

export function pythonSample(call: Call, { client, url, key }: SampledApi): string {
  const invocation = `saldo.${pythonParameter(pythonMethod(call.id))}(${argumentsOf(call).join(', ')})`;
  const file = sentFile(call);
  const statement = call.answerType === null ? invocation : `print(${invocation})`;
  return `import os
from saldo_client import ${CLIENTS[client]}

saldo = ${CLIENTS[client]}(os.environ["${url}"], os.environ["${key}"])
${file === null ? statement : `with open("${file}", "rb") as file:\n    ${statement}`}`;
}
