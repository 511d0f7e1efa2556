import { assert } from './assert.ts';

/**
 * The four control areas in the order in which bridges between them are filled. The codes are the TSOs' own: an area is
 * where energy is, a party is who sends and receives messages, and the tag stands in message identifications.
 */
const AREAS = [
  { tso: 'DE_AMPRION', area: '10YDE-RWENET---I', party: '10XDE-RWENET---W', tag: 'AMP' },
  { tso: 'DE_TENNET', area: '10YDE-EON------1', party: '10XDE-EON-NETZ-C', tag: 'TTG' },
  { tso: 'DE_TRANSNET_BW', area: '10YDE-ENBW-----N', party: '10XDE-ENBW--TNGX', tag: 'TBW' },
  { tso: 'DE_50HERTZ', area: '10YDE-VE-------2', party: '10XDE-VE-TRANSMK', tag: '50H' },
] as const;

export type Tso = (typeof AREAS)[number]['tso'];
export type ControlArea = { tso: Tso; area: string; party: string; tag: string };

export const CONTROL_AREAS: readonly ControlArea[] = AREAS;

export function controlArea(tso: Tso): ControlArea {
  const found = CONTROL_AREAS.find((area) => area.tso === tso);
  assert(found !== undefined, 'every TSO has a control area');
  return found;
}

export function findAreaByParty(partyEic: string): ControlArea | null {
  return CONTROL_AREAS.find(({ party }) => party === partyEic) ?? null;
}
