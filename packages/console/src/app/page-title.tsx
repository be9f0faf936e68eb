/** The title of the browser's tab: "{cluster id} • {title}" with a cluster id in the address, otherwise just the title. */
import type { PageMatch, PageName } from '@gatehouse/contract/console/pages';
import { useTranslate } from '../platform/i18n/words.ts';
import { SCREENS } from './screens.ts';

interface PageTitleProps {
  page: PageName;
  params: PageMatch['params'];
}

export function PageTitle({ page, params }: PageTitleProps) {
  const t = useTranslate();
  return <title>{pageTitle(t(SCREENS[page].title, params), params.clusterId)}</title>;
}

export function pageTitle(title: string, clusterId: string | undefined): string {
  return clusterId ? `${clusterId} • ${title}` : title;
}
