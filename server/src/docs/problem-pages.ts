import { PROBLEM_CODES, PROBLEMS, type ProblemCode } from '@saldo/api';

const section = (code: ProblemCode): string => {
  const { explanation, remedy } = PROBLEMS[code];
  return `${explanation}\n\n**What to do.** ${remedy}\n`;
};

/** The index of all problems at `/errors`, by status. */
export function problemIndex(): string {
  const byStatus = Map.groupBy(
    PROBLEM_CODES.toSorted((a, b) => PROBLEMS[a].status - PROBLEMS[b].status),
    (code) => PROBLEMS[code].status,
  );
  const groups = [...byStatus].map(([status, codes]) => {
    const rows = codes.map((code) => `| [\`${code}\`](#${code}) | ${PROBLEMS[code].title} |`);
    return `| ${status} | |\n|---|---|\n${rows.join('\n')}\n`;
  });
  const sections = PROBLEM_CODES.toSorted().map(
    (code) =>
      `## ${code}\n\n[${PROBLEMS[code].title}](/errors/${code}), status ${PROBLEMS[code].status}. ${section(code)}`,
  );
  return `# Index of problems

Every error of the APIs is one of these problems. Its code is the last part of the member \`type\`, which is the URL of the
problem's own page. [Errors](/docs/guides/errors) describes how a program handles them.

${groups.join('\n')}
${sections.join('\n')}`;
}

/** The page that the `type` of a problem leads to. */
export function problemPage(code: ProblemCode): string {
  const { title, status } = PROBLEMS[code];
  return `# ${title}

${section(code)}
| | |
|---|---|
| Problem code | \`${code}\` |
| HTTP status | ${status} |

[All problems](/errors) · [How to handle errors](/docs/guides/errors)
`;
}
