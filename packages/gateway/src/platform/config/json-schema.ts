/** The configuration's JSON schema, so that editors complete and check gatehouse.yaml. docs/gatehouse.schema.json is a copy of it. */
import { z } from 'zod';
import { configKeys } from './keys.ts';
import { gatewayConfig } from './schema.ts';

export function configJsonSchema(): object {
  const keys = configKeys();
  const schema = z.toJSONSchema(gatewayConfig, {
    io: 'input',
    override({ jsonSchema, path }) {
      const name = path.filter((step) => step !== 'properties').join('.');
      const key = keys.find((candidate) => candidate.name === name);
      if (key && jsonSchema.description) jsonSchema.description += ` Environment: ${key.variable}.`;
    },
  });
  return { title: 'Gatehouse gateway configuration', ...schema };
}
