/**
 * Lint rule of this project: the function of a mutation reads nothing of its component. TanStack Query takes over that
 * function in an effect, hence after the render: what it read could be older than what the form shows. Values are passed
 * as the mutation's variable.
 */
type Node = { readonly type: string; readonly [key: string]: unknown };
type Scope = {
  readonly type: string;
  readonly block: Node;
  /** The references that this scope and those within do not declare. */
  readonly through: readonly Reference[];
  readonly references: readonly Reference[];
};
type Reference = {
  readonly identifier: Node;
  readonly resolved: { readonly scope: Scope } | null;
  /** False for a type. */
  readonly isValueReference: boolean;
};
type Context = {
  readonly sourceCode: { getScope(node: Node): Scope };
  report(problem: { node: Node; message: string }): void;
};

const MESSAGE = 'A mutation reads nothing of its component: pass the values to mutate().';

/** Whether a value is declared in a function, not in the module. */
const isOfFunction = ({ resolved, isValueReference }: Reference): boolean =>
  isValueReference && resolved !== null && !['module', 'global'].includes(resolved.scope.type);

export const mutationVariables = {
  create(context: Context) {
    return {
      Property(node: Node) {
        const { name } = node['key'] as { name?: string };
        const value = node['value'] as Node;
        if (name !== 'mutationFn') return;
        const scope = context.sourceCode.getScope(value);
        const references =
          scope.block === value
            ? scope.through
            : scope.references.filter(({ identifier }) => identifier === value);
        for (const reference of references)
          if (isOfFunction(reference)) context.report({ node: reference.identifier, message: MESSAGE });
      },
    };
  },
};
