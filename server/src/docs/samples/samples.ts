import type { Call, SampledApi } from './call.ts';
import { commandLineSample } from './command-line.ts';
import { curlSample } from './curl.ts';
import { pythonSample } from './python.ts';
import { typescriptSample } from './typescript.ts';

/** The languages of the samples, in the order of their tabs. The first one is shown without JavaScript and on paper. */
export const SAMPLE_LANGUAGES = [
  { name: 'curl', fence: 'sh', write: curlSample },
  { name: 'TypeScript', fence: 'ts', write: typescriptSample },
  { name: 'Python', fence: 'py', write: pythonSample },
  { name: 'CLI', fence: 'sh', write: commandLineSample },
] as const;

export type SampleLanguage = (typeof SAMPLE_LANGUAGES)[number]['name'];

export type Sample = {
  readonly language: SampleLanguage;
  readonly fence: string;
  readonly text: string;
};

/** A call in each language. */
export const samplesOf = (call: Call, api: SampledApi): Sample[] =>
  SAMPLE_LANGUAGES.map(({ name, fence, write }) => ({ language: name, fence, text: write(call, api) }));
