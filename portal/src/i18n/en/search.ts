export const search = {
  title: 'Search',
  nothing: 'Nothing found',
  nothingText: 'No record contains the text.',
};
