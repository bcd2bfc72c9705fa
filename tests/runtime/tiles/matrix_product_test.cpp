/// The products and transposes behind tile instructions, against plain loops.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "pto/matrix_product.hpp"

namespace {

using pto::detail::multiply_into;
using pto::detail::Rows;
using pto::detail::transpose;

template <class T>
struct Matrix {
  /// With columns between the rows that nobody may touch.
  Matrix(int rows, int cols, std::mt19937& random) : stride(cols + 3), elements(rows * stride) {
    for (T& element : elements) element = static_cast<T>(static_cast<float>(random() % 9) - 4);
  }
  T& at(int row, int col) { return elements[static_cast<std::size_t>(row * stride + col)]; }
  Rows<T> all() { return {elements.data(), stride}; }
  Rows<const T> read() { return {elements.data(), stride}; }

  int stride;
  std::vector<T> elements;
};

/// Small integers, so that any order of the sums gives the same.
template <class T, class Sum>
void expect_product(int rows, int inner, int cols) {
  std::mt19937 random(static_cast<unsigned>(rows * 10007 + inner * 101 + cols));
  Matrix<T> left(rows, inner, random), right(inner, cols, random);
  Matrix<Sum> sums(rows, cols, random);
  Matrix<Sum> expected = sums;
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < cols; ++j) {
      for (int k = 0; k < inner; ++k) {
        expected.at(i, j) += static_cast<Sum>(left.at(i, k)) * static_cast<Sum>(right.at(k, j));
      }
    }
  }
  multiply_into(sums.all(), left.read(), right.read(), rows, inner, cols);
  EXPECT_EQ(sums.elements, expected.elements) << rows << " x " << inner << " x " << cols;
}

/// Around the sizes of blocks and vectors, on either side.
template <class T, class Sum>
void expect_products() {
  for (const int rows : {1, 7, 8, 16, 17, 33}) {
    for (const int inner : {1, 16, 128, 129, 300}) {
      for (const int cols : {1, 8, 15, 16, 17, 40}) expect_product<T, Sum>(rows, inner, cols);
    }
  }
}

TEST(MatrixProduct, OfFloats) {
  expect_products<float, float>();
}
TEST(MatrixProduct, OfHalves) {
  expect_products<half, float>();
}
TEST(MatrixProduct, OfBfloats) {
  expect_products<bfloat16_t, float>();
}
TEST(MatrixProduct, OfBytesWrapsAround) {
  expect_products<int8_t, uint32_t>();
}

TEST(MatrixProduct, KeepsInfinitiesAndNansOfOneElement) {
  const float infinity = INFINITY;
  const bfloat16_t left[] = {1.0F, infinity}, right[] = {2.0F, 3.0F, 1.0F, NAN};
  float sums[] = {0, 0};
  multiply_into(Rows<float>{sums, 2}, Rows<const bfloat16_t>{left, 2},
                Rows<const bfloat16_t>{right, 2}, 1, 2, 2);
  EXPECT_EQ(sums[0], infinity);
  EXPECT_TRUE(std::isnan(sums[1]));
}

template <class T>
void expect_transposes() {
  std::mt19937 random(1);
  for (const int rows : {1, 7, 8, 9, 16, 27}) {
    for (const int cols : {1, 8, 13, 24}) {
      Matrix<T> from(cols, rows, random), to(rows, cols, random);
      Matrix<T> expected = to;
      for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < cols; ++j) expected.at(i, j) = from.at(j, i);
      }
      transpose(to.all(), from.read(), rows, cols);
      EXPECT_EQ(to.elements, expected.elements) << rows << " x " << cols;
    }
  }
}

TEST(Transpose, OfTwoBytes) {
  expect_transposes<uint16_t>();
}
TEST(Transpose, OfFourBytes) {
  expect_transposes<uint32_t>();
}

}  // namespace
