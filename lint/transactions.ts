/**
 * Lint rule of this project: a function that has a `tx` must not use `db`. A read or a second transaction on `db` takes
 * another connection while the first one is held; enough concurrent calls of this kind deadlock the pool.
 */
type Node = {
  readonly type: string;
  readonly name?: string;
  readonly parent?: Node;
  readonly [key: string]: unknown;
};
type Context = { report(problem: { node: Node; message: string }): void };

const MESSAGE =
  'Inside a transaction only tx is used: db would take a second connection while the first one is held.';

const parameterNames = (func: Node): string[] =>
  (func['params'] as Node[]).flatMap((parameter) => (parameter.name === undefined ? [] : [parameter.name]));

/** A name in `object.name`, `{ name: value }` or a declaration is not a reference. */
function isReference(node: Node): boolean {
  const { parent } = node;
  if (!parent) return true;
  if (parent.type === 'MemberExpression') return parent['property'] !== node || parent['computed'] === true;
  if (parent.type === 'Property') return parent['value'] === node;
  return !parent.type.startsWith('TS');
}

export const noDatabaseInTransaction = {
  create(context: Context) {
    const functions: string[][] = [];
    const enter = (func: Node) => void functions.push(parameterNames(func));
    const leave = () => void functions.pop();
    return {
      FunctionDeclaration: enter,
      FunctionExpression: enter,
      ArrowFunctionExpression: enter,
      'FunctionDeclaration:exit': leave,
      'FunctionExpression:exit': leave,
      'ArrowFunctionExpression:exit': leave,
      Identifier(node: Node) {
        if (node.name !== 'db' || !isReference(node)) return;
        // The innermost function that declares `tx` or `db` decides.
        const names = functions.findLast((own) => own.includes('tx') || own.includes('db'));
        if (names?.includes('tx')) context.report({ node, message: MESSAGE });
      },
    };
  },
};
