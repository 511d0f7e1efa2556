/** Path of cover images below the base URL of the customer API. */
export const COVERS_PATH = '/covers/';

const HOURS_OF_YEAR = 8760;

/** Hours at nominal power that produce a year's energy. */
export const fullLoadHours = (nominalPowerKw: number, annualKwh: number): number =>
  Math.min(HOURS_OF_YEAR, Math.round(annualKwh / nominalPowerKw));

/**
 * Name of the drawing of a plant without an image. It contains all that the drawing depends on, so that serving it needs no
 * database.
 */
export function drawnCoverName(
  technology: string,
  nominalPowerKw: number,
  annualKwh: number | null,
  assetId: string,
): string {
  const hours = annualKwh === null ? 'unknown' : fullLoadHours(nominalPowerKw, annualKwh);
  return `${technology}-${hours}-${assetId}.svg`;
}
