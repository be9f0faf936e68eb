/** Events of passes for programs. */
import { z } from 'zod';
import { defineEvent } from '../../events/define-event.ts';
import { byUser, connection, resource } from '../../events/event-fields.ts';
import { line } from '../../events/line.ts';

export const kubePassGiven = defineEvent({
  code: 'GH385I',
  event: 'kube.pass.given',
  label: 'Kubernetes Pass Given',
  about: { kind: 'kube', name: 'name' },
  fields: { ...byUser, ...resource, ...connection, expires: z.string(), factor_proven: z.boolean() },
  tell: ({ user, name, expires }) =>
    line`${user} was given a pass for programs to the Kubernetes cluster ${name}, until ${expires}`,
});
