type Guide = { readonly url: string; readonly label: string; readonly file: string };
type GuideGroup = { readonly label: string; readonly pages: readonly Guide[] };

const guide = (url: string, label: string, file: string): Guide => ({ url: `/docs${url}`, label, file });

/** The written pages in the order of the navigation. */
export const GUIDES: readonly GuideGroup[] = [
  {
    label: 'For developers',
    pages: [guide('', 'Overview', 'docs/README.md'), guide('/sdk', 'TypeScript SDK', 'sdk/README.md')],
  },
];
