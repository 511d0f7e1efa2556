import type { DeliveryDay } from '@saldo/core/delivery-day.ts';
import type { LinkOptions } from '@tanstack/react-router';
import type { Dictionary } from '../i18n/dictionary.ts';
import type { Format } from '../i18n/format.ts';
import type { IconName } from '../ui/icons.tsx';
import type { NavigationItem } from '../ui/navigation-item.ts';
import type { RecentPage } from '../ui/recent-pages.ts';
import type { SavedView } from '../ui/saved-views.ts';
import type { Entry, Target } from './entries.ts';
import { findEntries, type Given, matchesWords } from './query.ts';
import type { FoundGroup } from './sources.ts';
import { SEARCH_TEXTS, type SearchTexts } from './texts.ts';

/** A line of the results. */
export type Option = {
  readonly label: string;
  readonly detail: string;
  readonly icon?: IconName | undefined;
  readonly target: Target | { readonly link: LinkOptions };
  readonly given: Given;
};
export type OptionGroup = { readonly label: string; readonly options: readonly Option[] };

type Texts = { readonly t: Dictionary; readonly format: Format };

const nonEmpty = (label: string, options: readonly Option[]): OptionGroup[] =>
  options.length === 0 ? [] : [{ label, options }];

const entryOption = (
  { label, labelOfDay = label, icon, target }: Entry,
  given: Given,
  { t, format }: Texts,
): Option => ({
  label: given.day === undefined ? label : labelOfDay,
  detail: [
    ...(given.day === undefined ? [] : [format.day(given.day)]),
    ...(given.tso === undefined ? [] : [t.common.tsos[given.tso]]),
  ].join(' · '),
  icon,
  target,
  given,
});

const viewOption = (
  { name, path, search }: SavedView,
  navigation: readonly NavigationItem[],
  t: Dictionary,
): Option => ({
  label: name,
  detail: navigation.find(({ to }) => to === path)?.label(t) ?? '',
  icon: 'filter',
  target: { link: { to: path, search } as LinkOptions },
  given: {},
});

/** What the browser knows of the user, and the pages of the role. */
type Known = {
  readonly entries: readonly Entry[];
  readonly navigation: readonly NavigationItem[];
  readonly recent: readonly RecentPage[];
  readonly views: readonly SavedView[];
};

/** Pages, views and actions that a text finds. They need no request. */
export function typedGroups(
  { entries, navigation, views }: Known,
  typed: string,
  today: DeliveryDay,
  texts: Texts,
): OptionGroup[] {
  const matches = findEntries(entries, typed, today);
  const names = SEARCH_TEXTS[texts.t.language].groups;
  const ofGroup = (group: Entry['group']) =>
    nonEmpty(
      names[group],
      matches
        .filter(({ entry }) => entry.group === group)
        .map(({ entry, given }) => entryOption(entry, given, texts)),
    );
  const words = typed.split(/\s+/);
  const found = views
    .map((view) => viewOption(view, navigation, texts.t))
    .filter(({ label, detail }) => matchesWords(words, `${label} ${detail}`));
  return [...ofGroup('pages'), ...nonEmpty(names.views, found), ...ofGroup('actions')];
}

/** What is shown before a text is typed: recent pages but the one that is open, views, and frequent actions. */
export function firstGroups(
  { entries, navigation, recent, views }: Known,
  openPath: string,
  texts: Texts,
): OptionGroup[] {
  const { t } = texts;
  const names = SEARCH_TEXTS[t.language].groups;
  const pages = recent
    .filter(({ path }) => path !== openPath)
    .map(({ path, title }): Option => {
      const page = navigation.find(({ to }) => to === path);
      const list = navigation.find(({ to }) => to !== '/' && path.startsWith(`${to}/`));
      return {
        // The title may be that of another language.
        label: page?.label(t) ?? title,
        detail: list?.label(t) ?? '',
        icon: (page ?? list)?.icon,
        target: { link: { to: path } as LinkOptions },
        given: {},
      };
    });
  const frequent = entries.filter(({ isFrequent }) => isFrequent);
  return [
    ...nonEmpty(names.recent, pages),
    ...nonEmpty(
      names.views,
      views.map((view) => viewOption(view, navigation, t)),
    ),
    ...nonEmpty(
      names.frequent,
      frequent.map((entry) => entryOption(entry, {}, texts)),
    ),
  ];
}

/** The name of a balance group and its EIC, by which it may have been searched. */
export type GroupText = (eic: string) => string;

/** The records of a group; the last option leads to the list if the list has more records. */
export function recordGroup(
  { name, found, all }: FoundGroup,
  texts: SearchTexts,
  groupOf: GroupText,
): OptionGroup {
  const link = (page: LinkOptions) => ({ target: { link: page }, given: {} });
  const options = found.map(({ label, detail, eic, page }) => ({
    label,
    detail: [...(eic === undefined ? [] : [groupOf(eic)]), detail].filter((part) => part !== '').join(' · '),
    ...link(page),
  }));
  return {
    label: texts.groups[name],
    options: all === null ? options : [...options, { label: texts.all, detail: '', ...link(all) }],
  };
}
