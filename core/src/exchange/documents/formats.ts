import type { MessageFormat } from '../../enums.ts';
import { CIM } from './cim.ts';
import { ESS } from './ess.ts';
import type { Vocabulary } from './vocabulary.ts';

export const VOCABULARIES: Readonly<Record<MessageFormat, Vocabulary>> = { ess: ESS, cim: CIM };
