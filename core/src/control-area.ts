import { TSOS, type Tso } from './enums.ts';

/** EIC codes of an area (where energy is) and of its TSO (who sends and receives messages), and a short tag for ids. */
export type ControlArea = { tso: Tso; area: string; party: string; tag: string };

const CODES: Readonly<Record<Tso, Omit<ControlArea, 'tso'>>> = {
  DE_AMPRION: { area: '10YDE-RWENET---I', party: '10XDE-RWENET---W', tag: 'AMP' },
  DE_TENNET: { area: '10YDE-EON------1', party: '10XDE-EON-NETZ-C', tag: 'TTG' },
  DE_TRANSNET_BW: { area: '10YDE-ENBW-----N', party: '10XDE-ENBW--TNGX', tag: 'TBW' },
  DE_50HERTZ: { area: '10YDE-VE-------2', party: '10XDE-VE-TRANSMK', tag: '50H' },
};

/** In the order in which bridges between them are filled. */
export const CONTROL_AREAS: readonly ControlArea[] = TSOS.map((tso) => ({ tso, ...CODES[tso] }));

export const controlArea = (tso: Tso): ControlArea => ({ tso, ...CODES[tso] });

export function findAreaByParty(partyEic: string): ControlArea | null {
  return CONTROL_AREAS.find(({ party }) => party === partyEic) ?? null;
}
