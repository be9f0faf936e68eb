/** Events of the gateway as a SAML identity provider for other services. */
import { z } from 'zod';
import { defineEvent } from '../events/define-event.ts';
import { byUser, resource, session, status } from '../events/event-fields.ts';
import { because, line } from '../events/line.ts';

const about = { kind: 'saml_service_provider', name: 'name' } as const;
const provider = {
  service_provider_entity_id: z.string().optional(),
  service_provider_shortcut: z.string().optional(),
} as const;
const fields = { ...resource, ...provider, error: z.string().optional() } as const;

export const samlIdpAuthenticated = defineEvent({
  code: 'TSI000I',
  event: 'saml.idp.auth',
  label: 'SAML IdP authentication',
  about: { kind: 'saml_service_provider', name: 'service_provider_entity_id' },
  fields: { ...byUser, ...session, ...status, ...provider },
  tell: ({ user, service_provider_entity_id, service_provider_shortcut, error, success }) =>
    success === false
      ? line`${user} could not sign in to the service ${service_provider_entity_id || service_provider_shortcut} by SAML${because(error)}`
      : line`${user} signed in to the service ${service_provider_entity_id || service_provider_shortcut} by SAML`,
});

export const samlServiceCreated = defineEvent({
  code: 'TSI001I',
  event: 'saml.idp.service.provider.create',
  label: 'SAML IdP service provider created',
  about,
  fields,
  tell: ({ updated_by, name, service_provider_entity_id }) =>
    line`${updated_by} added the SAML service ${name} (${service_provider_entity_id})`,
});

export const samlServiceCreateFailed = defineEvent({
  code: 'TSI001W',
  event: 'saml.idp.service.provider.create',
  label: 'SAML IdP service provider create failed',
  about,
  fields,
  tell: ({ updated_by, name, service_provider_entity_id, error }) =>
    line`${updated_by} could not add the SAML service ${name} (${service_provider_entity_id})${because(error)}`,
});

export const samlServiceUpdated = defineEvent({
  code: 'TSI002I',
  event: 'saml.idp.service.provider.update',
  label: 'SAML IdP service provider updated',
  about,
  fields,
  tell: ({ updated_by, name, service_provider_entity_id }) =>
    line`${updated_by} changed the SAML service ${name} (${service_provider_entity_id})`,
});

export const samlServiceUpdateFailed = defineEvent({
  code: 'TSI002W',
  event: 'saml.idp.service.provider.update',
  label: 'SAML IdP service provider update failed',
  about,
  fields,
  tell: ({ updated_by, name, service_provider_entity_id, error }) =>
    line`${updated_by} could not change the SAML service ${name} (${service_provider_entity_id})${because(error)}`,
});

export const samlServiceDeleted = defineEvent({
  code: 'TSI003I',
  event: 'saml.idp.service.provider.delete',
  label: 'SAML IdP service provider deleted',
  about,
  fields,
  tell: ({ updated_by, name, service_provider_entity_id }) =>
    line`${updated_by} removed the SAML service ${name} (${service_provider_entity_id})`,
});

export const samlServiceDeleteFailed = defineEvent({
  code: 'TSI003W',
  event: 'saml.idp.service.provider.delete',
  label: 'SAML IdP service provider delete failed',
  about,
  fields,
  tell: ({ updated_by, name, service_provider_entity_id, error }) =>
    line`${updated_by} could not remove the SAML service ${name} (${service_provider_entity_id})${because(error)}`,
});

export const samlServicesDeleted = defineEvent({
  code: 'TSI004I',
  event: 'saml.idp.service.provider.delete_all',
  label: 'All SAML IdP service provider deleted',
  fields: { ...resource },
  tell: ({ updated_by }) => line`${updated_by} removed every SAML service`,
});

export const samlServicesDeleteFailed = defineEvent({
  code: 'TSI004W',
  event: 'saml.idp.service.provider.delete_all',
  label: 'SAML IdP service provider delete failed',
  fields: { ...resource, error: z.string().optional() },
  tell: ({ updated_by, error }) => line`${updated_by} could not remove every SAML service${because(error)}`,
});
