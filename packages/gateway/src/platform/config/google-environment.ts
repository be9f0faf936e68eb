/** Where Google's own programs are told to look for credentials; the gateway looks there too. */

export interface GoogleEnvironment {
  /** A file; empty: where gcloud leaves it. */
  credentialsFile: string;
  /** Who answers for the machine; empty: the usual name. */
  metadataHost: string;
}

export function googleEnvironment(): GoogleEnvironment {
  const { GOOGLE_APPLICATION_CREDENTIALS: file = '', GCE_METADATA_HOST: host = '' } = process.env;
  return { credentialsFile: file, metadataHost: host };
}
