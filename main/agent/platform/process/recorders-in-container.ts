/** Set by an administrator who runs Sluice and all its recorders in one container. */
export const RECORDERS_IN_CONTAINER_VARIABLE = 'SLUICE_RECORDERS_IN_CONTAINER'

export const areRecordersInContainer = (environment: Readonly<Record<string, string | undefined>>): boolean =>
  environment[RECORDERS_IN_CONTAINER_VARIABLE] === '1'
