/** Events of access requests: asked for, decided, searched. */
import { z } from 'zod';
import { defineEvent } from '../events/define-event.ts';
import { anyObject, byUser, resource } from '../events/event-fields.ts';
import { line, when } from '../events/line.ts';

const about = { kind: 'access_request', name: 'id' } as const;
const request = {
  ...byUser,
  ...resource,
  roles: z.array(z.string()).optional(),
  id: z.string(),
  state: z.string(),
  delegator: z.string().optional(),
  reason: z.string().optional(),
  annotations: anyObject.optional(),
  reviewer: z.string().optional(),
  proposed_state: z.string().optional(),
  resource_ids: z.array(z.unknown()).optional(),
} as const;

function stateWord(state: string | undefined): string | undefined {
  return state?.toLowerCase();
}

export const accessRequestCreated = defineEvent({
  code: 'T5000I',
  event: 'access_request.create',
  label: 'Access Request Created',
  about,
  fields: request,
  tell: ({ user, id, state }) =>
    line`${user || 'someone'} asked for access with the request ${id}, which is ${stateWord(state)}`,
});

export const accessRequestUpdated = defineEvent({
  code: 'T5001I',
  event: 'access_request.update',
  label: 'Access Request Updated',
  about,
  fields: request,
  tell: ({ id, state, updated_by }) =>
    line`the access request ${id} is now ${stateWord(state)}${when(updated_by, line`, by ${updated_by}`)}`,
});

export const accessRequestReviewed = defineEvent({
  code: 'T5002I',
  event: 'access_request.review',
  label: 'Access Request Reviewed',
  about,
  fields: request,
  tell: ({ reviewer, id, state }) => line`${reviewer} reviewed the access request ${id}, which is ${stateWord(state)}`,
});

export const accessRequestDeleted = defineEvent({
  code: 'T5003I',
  event: 'access_request.delete',
  label: 'Access Request Deleted',
  about,
  fields: { ...byUser, id: z.string() },
  tell: ({ user, id }) => line`${user || 'someone'} deleted the access request ${id}`,
});

export const accessRequestSearched = defineEvent({
  code: 'T5004I',
  event: 'access_request.search',
  label: 'Resource Access Request Search',
  fields: {
    ...byUser,
    search_as_roles: z.array(z.string()),
    resource_type: z.string().optional(),
    namespace: z.string().optional(),
    labels: z.record(z.string(), z.string()).optional(),
    predicate_expression: z.string().optional(),
    search_keywords: z.array(z.string()).optional(),
  },
  tell: ({ user, resource_type, search_as_roles }) =>
    line`${user} looked for resources of the type ${resource_type} to ask for, with the roles ${search_as_roles}`,
});
