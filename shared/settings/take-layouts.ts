/** The recorders whose folders Sluice recognises as takes. */
export type TakeLayout = 'rosbag2' | 'LeRobot'

/**
 * Patterns for `exclude` that match the temporary files of a recorder. LeRobot writes each frame of a camera as an
 * image, and deletes the images after it has encoded the video.
 */
export const temporaryFiles: Readonly<Record<TakeLayout, readonly string[]>> = {
  rosbag2: [],
  LeRobot: ['**/images/*/episode*/frame*'],
}
