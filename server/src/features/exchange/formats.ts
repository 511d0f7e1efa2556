import { CIM } from './cim.ts';
import type { Format } from './document.ts';
import { ESS } from './ess.ts';
import type { Vocabulary } from './vocabulary.ts';

export const VOCABULARIES: Readonly<Record<Format, Vocabulary>> = { ess: ESS, cim: CIM };
