/** Loaded only when something asks for them, or by file name at run time: these packages stay in node_modules. */
export const OUTSIDE = new Set([
  'pg',
  'pg-native',
  'pino-pretty',
  '@peculiar/x509',
  'reflect-metadata',
  '@lydell/node-pty',
  '@aws-sdk/client-s3',
  '@aws-sdk/client-sts',
  '@node-saml/node-saml',
  'xml-encryption',
]);
