/**
 * Screenshots of the README in `resources/screenshots`, each with the file below `test/artifacts` from which it is
 * copied.
 */
export const readmePictures = {
  'workbench.png': 'tour/02-workbench-dark-1280.png',
  'catalog.png': 'tour/03-catalog-dark-1280.png',
  'coverage.png': 'tour/04-coverage-dark-1280.png',
  'portfolio.png': 'tour/07-portfolio-dark-1280.png',
  'trial.png': 'lab-test.png',
  'sql.png': 'tour/20-sql-chart-dark-1280.png',
}

/** Folder of the guide’s pictures, and the one below `test/artifacts` with the screenshots that they are made of. */
export const guidePictures = { folder: 'renderer/views/guide/pictures', saved: 'playbooks', story: 'playbooks' }

/** End-to-end stories that save these screenshots. */
export const pictureStories = ['tour', 'trials', guidePictures.story]
