/** What the search is narrowed by, each to be taken away alone or all at once. */
import { Button } from '@gatehouse/design/button';
import { IconButton } from '@gatehouse/design/icon-button';
import { LabelChip } from '@gatehouse/design/label-chip';
import ZoomIn from 'lucide-react/icons/zoom-in';
import { useBrowser } from '../../platform/browser/browser-services.tsx';
import { useTranslate } from '../../platform/i18n/words.ts';
import { spanWords } from '../../shared/time-range/span-words.ts';
import { type AuditActions, type AuditAddress, FILTER_NAMES, type FilterName, listOf } from './audit-search-params.ts';
import { filterWords } from './event-words.ts';

const LISTS: readonly FilterName[] = ['severity', 'include', 'code'];

export function FilterChips({ address, actions }: { address: AuditAddress; actions: AuditActions }) {
  const t = useTranslate();
  const { now } = useBrowser();
  const { filter, zoom } = address;
  const chips = FILTER_NAMES.filter((name) => name !== 'search').flatMap((name) => {
    const values = LISTS.includes(name) ? listOf(filter[name]) : filter[name] ? [filter[name]] : [];
    return values.map((value) => ({ name, value, rest: values.filter((each) => each !== value).join() }));
  });
  if (chips.length === 0 && !zoom && !filter.search) return null;
  return (
    <>
      {zoom && (
        <>
          <LabelChip
            name={t('audit.filter-time')}
            value={spanWords(t, zoom, now())}
            active
            onRemove={() => actions.zoomTo(undefined)}
          />
          <IconButton icon={ZoomIn} size="small" label={t('audit.zoom-in')} onClick={() => actions.pickRange(zoom)} />
        </>
      )}
      {chips.map(({ name, value, rest }) => (
        <LabelChip
          key={`${name} ${value}`}
          name={t(`audit.filter-${name}`)}
          value={filterWords(t, name, value)}
          active
          onRemove={() => actions.narrow({ [name]: rest }, 'push')}
        />
      ))}
      <Button tone="ghost" size="small" onClick={actions.clear}>
        {t('audit.clear')}
      </Button>
    </>
  );
}
