/** Events of billing. */
import { defineEvent } from '../events/define-event.ts';
import { byUser } from '../events/event-fields.ts';
import { line } from '../events/line.ts';

export const cardAdded = defineEvent({
  code: 'TBL00I',
  event: 'billing.create_card',
  label: 'Credit Card Added',
  fields: byUser,
  tell: ({ user }) => line`${user} added a credit card`,
});

export const cardDeleted = defineEvent({
  code: 'TBL01I',
  event: 'billing.delete_card',
  label: 'Credit Card Deleted',
  fields: byUser,
  tell: ({ user }) => line`${user} removed a credit card`,
});

export const cardUpdated = defineEvent({
  code: 'TBL02I',
  event: 'billing.update_card',
  label: 'Credit Card Updated',
  fields: byUser,
  tell: ({ user }) => line`${user} changed a credit card`,
});

export const billingUpdated = defineEvent({
  code: 'TBL03I',
  event: 'billing.update_info',
  label: 'Billing Information Updated',
  fields: byUser,
  tell: ({ user }) => line`${user} changed the billing address or name`,
});
