import { PROFILE_KINDS, type Profile, type ProfileKind } from '@saldo/api';
import { ShapeChart } from '../charts/shape-chart.tsx';
import { useI18n } from '../i18n/i18n.tsx';
import { parseTypedNumber, readShape, type ShapeReading } from '../ui/decimal-input.ts';
import { Checkbox, Field, TextField } from '../ui/form.tsx';
import { typing } from '../ui/typing.ts';
import { PROFILE_TEXTS } from './profile-texts.ts';

export type ProfileInput = { readonly isWanted: boolean; readonly power: string; readonly shape: string };
export const EMPTY_PROFILE: ProfileInput = { isWanted: true, power: '', shape: '' };

export const isProfileKind = (ppaType: string): ppaType is ProfileKind =>
  PROFILE_KINDS.some((kind) => kind === ppaType);

/** The request body. Invalid input is sent as far as needed for the server to report the error at its field. */
export function profileOf(ppaType: string, { isWanted, power, shape }: ProfileInput): Profile | null {
  if (!isWanted || !isProfileKind(ppaType)) return null;
  if (ppaType === 'shaped') {
    const read = readShape(shape);
    return { power: 'powersMw' in read ? read.powersMw : [] };
  }
  return { power: parseTypedNumber(power) ?? Number.NaN };
}

type Props = { kind: ProfileKind; value: ProfileInput; onChange: (change: Partial<ProfileInput>) => void };

/** The profile from which the platform generates volumes: one power, or one per month and hour. */
export function ProfileFields({ kind, value, onChange }: Props) {
  const { t } = useI18n();
  const texts = PROFILE_TEXTS[t.language];
  return (
    <fieldset className="grid gap-3 rounded-md border border-line p-4">
      <legend className="px-1 text-sm font-medium">{texts.title}</legend>
      <Checkbox
        name="has_profile"
        label={texts.isWanted}
        checked={value.isWanted}
        onChange={(isWanted) => onChange({ isWanted })}
      />
      {value.isWanted && kind !== 'shaped' && (
        <TextField
          name="profile"
          label={texts.power}
          hint={kind === 'baseload' ? texts.baseloadHint : texts.peakloadHint}
          autoComplete="off"
          value={value.power}
          onChange={(power) => onChange({ power })}
        />
      )}
      {value.isWanted && kind === 'shaped' && (
        <ShapeField value={value.shape} onChange={(shape) => onChange({ shape })} />
      )}
    </fieldset>
  );
}

function ShapeField({ value, onChange }: { value: string; onChange: (shape: string) => void }) {
  const { t } = useI18n();
  const texts = PROFILE_TEXTS[t.language];
  const read = value.trim() === '' ? null : readShape(value);
  const message = (reading: ShapeReading | null): string | undefined =>
    reading && 'problem' in reading
      ? texts.shapeProblems[reading.problem](reading.row, reading.found)
      : undefined;
  return (
    <>
      <Field name="profile" label={texts.shape} hint={texts.shapeHint} error={message(read)}>
        {(control) => (
          <textarea
            {...control}
            rows={12}
            spellCheck={false}
            wrap="off"
            className={`${control.className} font-mono text-xs`}
            value={value}
            {...typing(onChange)}
          />
        )}
      </Field>
      {read && 'powersMw' in read && <ShapeChart powersMw={read.powersMw} />}
    </>
  );
}
