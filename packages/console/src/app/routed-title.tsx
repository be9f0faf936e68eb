/** The title of a private page, which follows the router. */
import type { PageName } from '@gatehouse/contract/pages';
import { useCurrentPage } from '../address/address.tsx';
import { PageTitle } from './page-title.tsx';

export function RoutedTitle({ page }: { page: PageName }) {
  return <PageTitle page={page} params={useCurrentPage()?.params ?? {}} />;
}
