/** What somebody can do with an application: open it, and in a cloud as which roles. */
import { appSpec, appType } from '@gatehouse/contract/kinds/app/app-spec';
import type { Access } from '../../access/bind-access.ts';
import { decide } from '../../access/decide.ts';
import type { WayIn } from '../../access/label-gifts.ts';
import { principalsFor } from '../../access/principals-for.ts';
import type { Resource } from '../../inventory/resource-store.ts';

export function appWays(held: Access, resource: Resource): WayIn[] {
  const open = { type: 'connect', kind: 'app', resource } as const;
  if (!decide(held, open).allowed) return [];
  const isAws = appType(appSpec.parse(resource.spec).uri) === 'aws';
  const arns = isAws ? principalsFor(held, 'app', resource.labels, 'aws_role_arns') : [];
  return [
    { name: 'open it', action: open },
    ...arns.map((awsRoleArn) => ({ name: `open it as '${awsRoleArn}'`, action: { ...open, awsRoleArn } })),
  ];
}
