/** From a connection that failed to the test that says at which step: in the panel of what it was to. */
import { pagePath } from '@gatehouse/contract/console/pages';
import type { KindPage } from '@gatehouse/contract/kinds/kinds';
import { ButtonLink } from '@gatehouse/design/button-link';
import type { ReactNode } from 'react';
import { useCurrentPage } from '../../platform/routing/routing.tsx';
import { usePageConfig, useUserOf } from '../../platform/sign-in/user.ts';

interface TestItProps {
  page: KindPage;
  /** What the list knows it by. */
  name: string;
  /** Where the page's own address does not say it. */
  clusterId?: string;
  size?: 'small';
  children: ReactNode;
}

/** Nothing for who may not test. */
export function TestIt({ page, name, clusterId: named, size, children }: TestItProps) {
  const own = usePageConfig().proxyCluster;
  const here = useCurrentPage()?.params.clusterId;
  const clusterId = named ?? here ?? own;
  const { userAcl } = useUserOf(clusterId);
  if (!userAcl.connectionDiagnostic.create) return null;
  const search = new URLSearchParams({ open: name, tab: 'test' });
  return (
    <ButtonLink href={`${pagePath(page, { clusterId })}?${search}`} {...(size ? { size } : {})}>
      {children}
    </ButtonLink>
  );
}
