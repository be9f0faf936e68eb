/** The title of the browser's tab: "{cluster id} • {title}" with a cluster id in the address, otherwise just the title. */
import type { PageMatch } from '@gatehouse/contract/console/pages';
import { useTranslate, type WordId } from '../platform/i18n/words.ts';

interface PageTitleProps {
  title: WordId;
  params: PageMatch['params'];
}

export function PageTitle({ title, params }: PageTitleProps) {
  const t = useTranslate();
  return <title>{pageTitle(t(title, params), params.clusterId)}</title>;
}

export function pageTitle(title: string, clusterId: string | undefined): string {
  return clusterId ? `${clusterId} • ${title}` : title;
}
