import { useNavigate, useRouterState, useSearch } from '@tanstack/react-router';
import { useId, useState } from 'react';
import { useI18n } from '../i18n/i18n.tsx';
import { useSession } from '../session/session.ts';
import { Button } from './button.tsx';
import { inputClass } from './form.tsx';
import { SavedViewDialog } from './saved-view-dialog.tsx';
import { VIEW_TEXTS } from './saved-view-texts.ts';
import { isSameView, isSubject, storeViews, useViewsOf, viewedFilters } from './saved-views.ts';

type Props = { isFiltered: boolean; onClear: () => void; hasSubject: boolean };

/** The views that the user has saved of this list. */
export function SavedViews({ isFiltered, onClear, hasSubject }: Props) {
  const { t } = useI18n();
  const texts = VIEW_TEXTS[t.language];
  const { id: userId } = useSession().user;
  const views = useViewsOf(userId);
  const navigate = useNavigate();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const url: object = useSearch({ strict: false });
  const id = useId();
  const [isOpen, setIsOpen] = useState(false);
  const search = viewedFilters(url, hasSubject);
  const ofList = views.filter((view) => view.path === path);
  const active = ofList.find((view) => isSameView(view.search, search));
  const show = (name: string) => {
    const view = ofList.find((known) => known.name === name);
    if (!view) return onClear();
    // The day or month that the page shows stays.
    const others = Object.entries(url).filter(([parameter]) => hasSubject && isSubject(parameter));
    void navigate({ to: '.', search: { ...Object.fromEntries(others), ...view.search } } as never);
  };
  return (
    <>
      {ofList.length > 0 && (
        <div className="grid w-36 min-w-0 gap-0.5">
          <label htmlFor={id} className="text-xs text-muted">
            {texts.label}
          </label>
          <select
            id={id}
            className={inputClass()}
            value={active?.name ?? ''}
            onChange={({ currentTarget }) => show(currentTarget.value)}
          >
            <option value="">{texts.none}</option>
            {ofList.map(({ name }) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </div>
      )}
      {(isFiltered || active) && (
        <Button variant="quiet" icon={active ? 'edit' : 'plus'} onClick={() => setIsOpen(true)}>
          {active ? texts.edit : texts.save}
        </Button>
      )}
      {isOpen && (
        <SavedViewDialog
          views={views}
          current={{ path, search }}
          former={active}
          onChange={(changed) => storeViews(userId, changed)}
          onClose={() => setIsOpen(false)}
        />
      )}
    </>
  );
}
